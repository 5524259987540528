import { addUser } from './second-user.js';
import { advanceClock } from './plans.ts';
import type { Client, System, TestWorkspace } from './system.js';

/** What is planted, and where webhooks go. */
interface Planting {
  readonly word: (name: string) => string;
  /** The domain of the customer's addresses. */
  readonly domain: string;
  readonly taxId: string;
  readonly webhookUrl: string;
  /** Plants more, after usage and a credit type. */
  readonly afterUsage?: () => Promise<void>;
}

/** The invoices of the planted customer. */
export interface PlantedInvoices {
  /** The invoice of the subscription's first month, which was paid. */
  readonly paid: { id: string; total: number; number: string };
  /** The id of an open invoice that was made by hand. */
  readonly manual: string;
}

/**
 * Plants a word wherever a text about the customer `ada` can be given, and lets a month of business pass. Another customer is `bob`,
 * whose metadata names `ada`. `word` makes the words.
 */
export async function plantCustomer(
  system: System,
  workspace: TestWorkspace,
  planting: Planting,
): Promise<PlantedInvoices> {
  const { http, session } = workspace;
  const { word, webhookUrl } = planting;
  const create = async (path: string, body: object): Promise<string> =>
    ((await http.post(path, body).expect(201)).body as { id: string }).id;
  await http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
  await session.post('/v1/webhooks', { url: webhookUrl, events: ['*'] }).expect(201);
  const metric = await create('/v1/metrics', {
    name: 'call',
    aggregation: { type: 'sum', property: 'units', groupBy: ['region'] },
  });
  await create('/v1/metrics', {
    name: 'people',
    eventName: 'call',
    aggregation: { type: 'count_distinct', property: 'user' },
  });
  const gold = `count(*) FILTER (WHERE properties->>'tier' = 'gold')`;
  await create('/v1/metrics', { name: 'gold', eventName: 'call', aggregation: { type: 'sql' }, sql: gold });
  const price = await create('/v1/prices', {
    name: 'Calls',
    metricId: metric,
    cadence: 'usage_based',
    config: { model: 'unit', unitPrice: 0.5, currency: 'USD' },
  });
  const plan = await create('/v1/plans', { name: 'Plan', prices: [price] });
  await http.post('/v1/customers', { id: 'bob', name: 'Bob', metadata: { parent: 'ada' } }).expect(201);
  await createPlantedCustomer(http, planting).expect(201);
  const card = await create('/v1/customers/ada/payment-methods', { type: 'test', test: 'pm_card_visa' });
  const subscription = await create('/v1/subscriptions', {
    customerId: 'ada',
    planId: plan,
    externalId: word('sub'),
    metadata: { note: word('submeta') },
  });
  await create('/v1/coupons', { id: 'tenth', name: 'Tenth', percentOff: 10 });
  await http.post(`/v1/subscriptions/${subscription}/coupons`, { couponId: 'tenth' }).expect(201);
  await http
    .post('/v1/events', [
      plantedUsage('ada', 1, word('user1')),
      plantedUsage('ada', 2, word('user2')),
      plantedUsage('bob', 5, 'bob'),
    ])
    .expect(200);
  await http
    .post('/v1/credit-types', { type: 'ai', name: 'AI', unitPrice: 0.01, currency: 'USD' })
    .expect(201);
  await planting.afterUsage?.();
  const wallet = '/v1/customers/ada/wallets/ai';
  const block = await create(`${wallet}/grants`, { amount: 50, description: word('voided') });
  await http.post(`${wallet}/blocks/${block}/void`, { reason: word('why') }).expect(200);
  await create(`${wallet}/grants`, { amount: 100, description: word('grant') });
  await create('/v1/customers/ada/entitlement-grants', { featureId: 'seats', reason: word('reason') });
  await advanceClock({ http }, '2026-02-02T00:00:00Z');
  const { data } = (await http.get('/v1/invoices?customer_id=ada').expect(200)).body as {
    data: PlantedInvoices['paid'][];
  };
  const paid = data[0]!;
  await http.post(`/v1/invoices/${paid.id}/credit-note`, {
    reason: 'other',
    memo: word('memo'),
    amount: 0.1,
    to: 'balance',
  });
  await http.get(`/v1/invoices/${paid.id}/pdf`).expect(200);
  await http.delete(`/v1/customers/ada/payment-methods/${card}`).expect(204);
  const goodwill = { amount: 1, currency: 'USD', reason: word('goodwill') };
  await http.post('/v1/customers/ada/balance', goodwill).expect(200);
  const manual = await create('/v1/invoices', {
    customerId: 'ada',
    currency: 'USD',
    memo: word('remark'),
    lines: [{ description: word('line'), unitPrice: 3 }],
  });
  // A grant that waits for the approval of a second person.
  await addUser(system, workspace, 'finance');
  const policy = '/v1/approvals/policies/credit.grant';
  await http.put(policy, { enabled: true }).expect(200);
  const type = (await http.get('/v1/credit-types').expect(200)).body.data[0].type as string;
  const held = { amount: 5, description: word('held') };
  await http.post(`/v1/customers/ada/wallets/${type}/grants`, held).expect(202);
  await http.put(policy, { enabled: false }).expect(200);
  return { paid, manual };
}

/** Creates the planted customer. Another call repeats the request. */
export function createPlantedCustomer(http: Client, { word, domain, taxId }: Omit<Planting, 'webhookUrl'>) {
  return http
    .post('/v1/customers', {
      id: 'ada',
      name: word('Name'),
      email: `mail@${domain}`,
      externalId: word('ext'),
      billingEmail: `bill@${domain}`,
      additionalEmails: [`more@${domain}`],
      buyerReference: word('BR'),
      electronicAddress: { scheme: 'EM', id: `net@${domain}` },
      poNumber: word('PO'),
      metadata: { phone: word('phone') },
      taxId,
      address: { line1: word('street'), city: word('city'), country: 'US' },
      customFields: [{ name: word('field'), value: word('value') }],
    })
    .set('Idempotency-Key', 'customer-of-ada');
}

/** A usage event whose texts name a user. */
export const plantedUsage = (customerId: string, units: number, user: string) => ({
  customerId,
  eventName: 'call',
  idempotencyKey: `${user}-key`,
  timestamp: '2026-01-01T00:00:00Z',
  properties: { units, user, region: 'eu', tier: 'gold', nested: { deep: [user] }, seen: { [user]: 1 } },
});
