import { expect } from '@jest/globals';
import { holdGrants } from '../../support/held-grants.js';
import { listedEndpoints } from '../../support/per-worker/endpoint-tables.ts';
import type { Receiver } from '../../support/receiver.js';
import {
  clientOf,
  createOneOfEverything,
  createPool,
  settle,
  type Ids,
  type System,
  type TestWorkspace,
} from '../../support/index.js';

/** Creates one of everything that a path or a body can name. The ids are by the collection that they are in, or by a path. */
export async function createIds(
  system: System,
  workspace: TestWorkspace,
  receiver: Receiver,
): Promise<Record<string, string>> {
  const { http, session } = workspace;
  const created = await createOneOfEverything(workspace);
  const create = async (path: string, body: object, as = http): Promise<Record<string, unknown>> => {
    const answer = await as.post(path, body);
    expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
    return answer.body as Record<string, unknown>;
  };
  const idOf = async (path: string, body: object, as = http): Promise<string> =>
    (await create(path, body, as))['id'] as string;

  const ofCustomer = `/v1/customers/${created['customers']}`;
  const ofSubscription = `/v1/subscriptions/${created['subscriptions']}`;
  const coupon = { couponId: created['coupons'] };
  const fee = { name: 'Fee', config: { model: 'flat', amount: 10, currency: 'USD' } };
  const { body: scheduled } = await http
    .post(`${ofSubscription}/schedule-amendment`, { addPrices: [await idOf('/v1/prices', fee)] })
    .expect(200);
  const createCard = async (): Promise<string> =>
    idOf(`${ofCustomer}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
  const [card, otherCard] = [await createCard(), await createCard()];
  // A part of it is paid in cash before the card is charged.
  await http.put('/v1/billing-settings', { autoCollect: false }).expect(200);
  const invoice = await create('/v1/invoices', {
    customerId: created['customers'],
    currency: 'USD',
    draft: true,
    lines: [{ description: 'Setup', unitPrice: 10 }],
  });
  const ofInvoice = `/v1/invoices/${invoice['id'] as string}`;
  const [line] = invoice['lines'] as { id: string }[];
  const credit = { reason: 'other', lines: [{ lineId: line!.id, amount: 1 }] };
  const { body: link } = await http.get(`${ofInvoice}/link`).expect(200);
  await http.post(`${ofInvoice}/approve`).expect(200);
  const { payments } = await create(`${ofInvoice}/payments`, { method: 'cash', amount: 1 });
  const creditNote = await idOf(`${ofInvoice}/credit-note`, credit);
  await http.post(`${ofInvoice}/pay`).expect(200);
  await http.put('/v1/billing-settings', { autoCollect: true }).expect(200);
  await session.delete(`/v1/webhooks/${created['webhooks']}`).expect(204);
  const webhooks = await idOf(
    '/v1/webhooks',
    { url: receiver.url, events: ['invoice.marked_uncollectible'] },
    session,
  );
  await session.post(`/v1/webhooks/${webhooks}/test`, {}).expect(200);
  const deliveries = (await session.get(`/v1/webhooks/${webhooks}/deliveries`).expect(200)).body as List;
  const { email, password } = workspace;
  await clientOf(system.url).post('/v1/auth/login', { email, password }).expect(200);
  const sessions = (await session.get('/v1/users/me/sessions').expect(200)).body as Sessions;
  const made = {
    ...created,
    '/v1/customers/{id}/coupons/{redemptionId}': await idOf(`${ofCustomer}/coupons`, coupon),
    '/v1/subscriptions/{id}/coupons/{redemptionId}': await idOf(`${ofSubscription}/coupons`, coupon),
    '/v1/users/me/sessions/{id}': sessions.data.find(({ current }) => !current)!.id,
    amendments: (scheduled as { amendment: { id: string } }).amendment.id,
    'payment-methods': card,
    '/v1/portal/payment-methods/{methodId}': otherCard,
    invoices: invoice['id'] as string,
    payments: (payments as { id: string }[])[0]!.id,
    'credit-notes': creditNote,
    i: /\/i\/([^/]+)$/.exec((link as { url: string }).url)![1]!,
    'price-migrations': await idOf('/v1/price-migrations', {
      name: 'Prices of 2027',
      fromPlanId: created['plans'],
      toPlanId: created['otherPlans'],
      effectiveAt: '2027-01-01T00:00:00Z',
    }),
    approvals: (await holdGrants(system, workspace, created['customers']!))[0]!,
    'tax-rates': await idOf('/v1/tax-rates', { name: 'VAT', percentage: 19 }),
    'sso-connections': await idOf('/v1/sso-connections', {
      name: 'A',
      issuer: 'https://login.example.com',
      clientId: 'c',
      clientSecret: 's',
      domains: ['example.com'],
      redirectUris: ['https://example.com/sso'],
    }),
    domains: 'example.com',
    'card-setups': await storeCardSetup(system, workspace, created['customers']!),
    'api-keys': await idOf('/v1/api-keys', { name: 'theirs', role: 'viewer' }, session),
    webhooks,
    deliveries: deliveries.data[0]!.id,
  };
  await settle(workspace);
  const disputes = await idOf('/v1/sandbox/disputes', { invoiceId: made.invoices, amount: 1 });
  await settle(workspace);
  return { ...made, disputes };
}

/** A page for a card, as a live workspace has them. This one is a sandbox, so the row is written. */
async function storeCardSetup(
  { database }: System,
  { workspaceId }: TestWorkspace,
  customerId: string,
): Promise<string> {
  const id = `cset_${workspaceId}`;
  const pool = createPool(database, 1);
  await pool.query(
    `INSERT INTO payments.card_setups (id, workspace_id, customer_id, payment_method_id, return_url, created_at)
     VALUES ($1, $2, $3, 'pm_none', 'https://shop.example.com', now())`,
    [id, workspaceId, customerId],
  );
  await pool.end();
  return id;
}

interface List {
  data: { id: string }[];
}

interface Sessions {
  data: { id: string; current: boolean }[];
}

/** The parameters of an endpoint's path, each with the key of its ids. */
export function parametersOf(path: string): { name: string; key: (ids: Ids) => string }[] {
  return [...path.matchAll(/([^/]+)\/\{(\w+)\}/g)].map(({ 0: part, 1: collection, 2: name, index }) => {
    const whole = path.slice(0, index + part.length);
    return { name: name!, key: (ids) => (whole in ids ? whole : collection!) };
  });
}

/** The path with these ids. `change` gives other ids for a parameter. */
export function filled(
  path: string,
  ids: Ids,
  change: { name: string; ids: Ids } | undefined = undefined,
): string {
  return parametersOf(path).reduce((text, { name, key }) => {
    const from = change?.name === name ? change.ids : ids;
    const id = from[key(from)];
    if (id === undefined)
      throw new Error(`${fileWith(path)} creates no resource under "${key(from)}" for ${path}`);
    return text.replace(`{${name}}`, id);
  }, path);
}

/** The file whose endpoints have this path. */
function fileWith(path: string): string {
  return [...listedEndpoints()].find(([endpoint]) => endpoint.endsWith(` ${path}`))![1].file;
}

/** The path with ids that nothing has. */
export function unknownPath(path: string): string {
  return path.replace(/\{\w+\}/g, 'unknown');
}
