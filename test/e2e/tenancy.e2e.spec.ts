import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorBody } from '../../apps/api/http/index.js';
import { startSystem, type System, type TestWorkspace } from '../support/index.js';

/*
 * Generated from the OpenAPI document: every endpoint with an id in its path is asked for workspace A's thing with
 * workspace B's credential, and must not find it. A new route has no case here and fails the test until it has one.
 */

/** What each collection's id parameter is filled with: an id of workspace A. */
let ids: Record<string, string>;
/** Valid bodies for the endpoints that look at theirs before anything else. */
const bodies: Record<string, object> = {
  'PATCH /v1/customers/{id}': { name: 'Taken over' },
  'POST /v1/customers/{id}/payment-methods': { type: 'test', test: 'pm_card_visa' },
  'POST /v1/invoices/{id}/credit-note': { reason: 'other', amount: 1 },
  'POST /v1/customers/{id}/coupons': { couponId: 'WELCOME' },
  'POST /v1/subscriptions/{id}/coupons': { couponId: 'WELCOME' },
  'PATCH /v1/metrics/{id}': { description: 'Taken over' },
  'PATCH /v1/prices/{id}': { description: 'Taken over' },
  'PATCH /v1/plans/{id}': { description: 'Taken over' },
  'PATCH /v1/webhooks/{id}': { enabled: false },
  'POST /v1/webhooks/{id}/replay': { since: '2026-01-01T00:00:00Z' },
};
/** Endpoints whose path parameter is itself the credential. */
const byToken = /^\/i\/\{token\}/;

let system: System;
let a: TestWorkspace;
let b: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
  a = await system.workspace();
  b = await system.workspace();
  ids = await things(a);
});
afterAll(async () => system?.stop());

/** One of everything. */
async function things({ http, session }: TestWorkspace): Promise<Record<string, string>> {
  const create = async (path: string, body: object, as = http): Promise<string> => {
    const answer = await as.post(path, body);
    expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
    return (answer.body as { id: string }).id;
  };
  await http.put('/v1/sandbox/clock', { now: '2026-01-01T00:00:00Z' }).expect(200);
  const customers = await create('/v1/customers', { name: 'Northwind Ltd' });
  const method = await create(`/v1/customers/${customers}/payment-methods`, {
    type: 'test',
    test: 'pm_card_visa',
  });
  const metrics = await create('/v1/metrics', { name: 'calls', aggregation: { type: 'count' } });
  const prices = await create('/v1/prices', {
    name: 'Fee',
    timing: 'in_advance',
    config: { model: 'flat', amount: 10, currency: 'USD' },
  });
  const plans = await create('/v1/plans', { name: 'Pro', prices: [prices] });
  const subscriptions = await create('/v1/subscriptions', { customerId: customers, planId: plans });
  const other = await create('/v1/prices', {
    name: 'Other',
    config: { model: 'flat', amount: 5, currency: 'USD' },
  });
  const target = await create('/v1/plans', { name: 'Max', prices: [other] });
  const migrations = await create('/v1/price-migrations', {
    name: 'Prices of 2027',
    fromPlanId: plans,
    toPlanId: target,
    effectiveAt: '2027-01-01T00:00:00Z',
  });
  const { body: scheduled } = await http
    .post(`/v1/subscriptions/${subscriptions}/schedule-amendment`, { addPrices: [other] })
    .expect(200);
  await http.post('/v1/sandbox/clock/advance', { to: '2026-01-01T00:00:01Z' }).expect(200);
  const { body: invoices } = await http.get('/v1/invoices').expect(200);
  const taxRates = await create('/v1/tax-rates', { name: 'VAT', percentage: 19 });
  const coupons = await create('/v1/coupons', { id: 'WELCOME', name: 'Welcome', percentOff: 10 });
  const apiKeys = await create('/v1/api-keys', { name: 'theirs', role: 'viewer' }, session);
  const webhooks = await create('/v1/webhooks', { url: 'https://example.com/hooks' }, session);
  return {
    customers,
    metrics,
    prices,
    plans,
    subscriptions,
    amendments: (scheduled as { amendment: { id: string } }).amendment.id,
    invoices: (invoices as { data: { id: string }[] }).data[0]!.id,
    webhooks,
    deliveries: 'evt_none',
    'tax-rates': taxRates,
    coupons,
    'price-migrations': migrations,
    'credit-notes': 'cn_none',
    'api-keys': apiKeys,
    'payment-methods': method,
    versions: '1',
  };
}

/** A new price of a fee. */
async function feeOf({ http }: TestWorkspace): Promise<string> {
  const config = { model: 'flat', amount: 10, currency: 'USD' };
  return ((await http.post('/v1/prices', { name: 'Fee', config }).expect(201)).body as { id: string }).id;
}

/** The path with workspace A's ids. Throws on a parameter that no case is known for. */
function filled(path: string): string {
  return path.replace(/([^/]+)\/\{[^}]+\}/g, (_, collection: string) => {
    const id = ids[collection];
    if (id === undefined)
      throw new Error(`No case for the ids under "${collection}" of ${path}; add one above`);
    return `${collection}/${id}`;
  });
}

describe("another workspace's ids", () => {
  it('are not found by any endpoint, which names the parameter, and nothing of theirs changes', async () => {
    const { body: document } = await b.http.get('/v1/openapi.json').expect(200);
    const before = await state();
    const found: string[] = [];
    let asked = 0;
    for (const [path, operations] of Object.entries((document as { paths: Record<string, object> }).paths)) {
      if (!path.includes('{') || byToken.test(path)) continue;
      for (const method of Object.keys(operations) as ('get' | 'post' | 'put' | 'patch' | 'delete')[]) {
        const route = `${method.toUpperCase()} ${path}`;
        const answer = await b.session[method](filled(path), bodies[route]);
        asked++;
        const { details = [] } = answer.body as Partial<ErrorBody>;
        const isNamed = details.length === 1 && path.includes(`{${details[0]!.field}}`);
        if (answer.status !== 404 || !isNamed)
          found.push(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
    }
    expect(found).toEqual([]);
    expect(asked).toBeGreaterThan(30);
    expect(await state()).toEqual(before);
  });

  it('are not found in bodies either', async () => {
    const create = (path: string, body: object) => b.http.post(path, body);
    const { body: customer } = await create('/v1/customers', { name: 'B' }).expect(201);
    const { id: customerId } = customer as { id: string };
    const { body: plan } = await create('/v1/plans', { name: 'P', prices: [await feeOf(b)] }).expect(201);
    const { id: planId } = plan as { id: string };
    const config = { model: 'unit', unitPrice: 1, currency: 'USD' };
    const metered = { name: 'P', cadence: 'usage_based', config };
    const effectiveAt = '2027-01-01T00:00:00Z';
    const lines = [{ description: 'Work', unitPrice: 1 }];
    const cases = [
      ['/v1/subscriptions', { customerId: ids['customers'], planId }, 'customerId'],
      ['/v1/subscriptions', { customerId, planId: ids['plans'] }, 'planId'],
      ['/v1/invoices', { customerId: ids['customers'], currency: 'USD', lines }, 'customerId'],
      ['/v1/plans', { name: 'P', prices: [ids['prices']] }, 'prices[0]'],
      ['/v1/prices', { ...metered, metricId: ids['metrics'] }, 'metricId'],
      [
        '/v1/price-migrations/preview',
        { fromPlanId: planId, toPlanId: planId, customerIds: [customerId, ids['customers']] },
        'customerIds[1]',
      ],
      [
        '/v1/price-migrations',
        { name: 'M', fromPlanId: ids['plans'], toPlanId: planId, effectiveAt },
        'fromPlanId',
      ],
      [`/v1/customers/${customerId}/coupons`, { couponId: 'WELCOME' }, 'couponId'],
    ] as const;
    for (const [path, body, field] of cases) {
      const answer = await create(path, body);
      const { details } = answer.body as ErrorBody;
      expect([path, answer.status, details?.map((one) => one.field)]).toEqual([path, 404, [field]]);
    }
    const { body: usage } = await create('/v1/events', { customerId: ids['customers'], eventName: 'calls' });
    expect(usage).toMatchObject({ accepted: [], rejected: [expect.anything()] });
  });

  it('filter lists to nothing', async () => {
    for (const list of ['/v1/invoices', '/v1/subscriptions', '/v1/events']) {
      const { body } = await b.http.get(`${list}?customer_id=${ids['customers']}`).expect(200);
      expect([list, (body as { data: object[] }).data]).toEqual([list, []]);
    }
  });
});

/** All of workspace A that lists show. */
async function state(): Promise<unknown[]> {
  const lists = [
    'customers',
    'metrics',
    'prices',
    'plans',
    'subscriptions',
    'invoices',
    'coupons',
    'tax-rates',
  ];
  return Promise.all(
    lists.map(async (list) => (await a.http.get(`/v1/${list}`).expect(200)).body as unknown),
  );
}
