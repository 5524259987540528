import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorBody } from '../../apps/api/http/index.js';
import {
  createOneOfEverything,
  startSystem,
  validBodies,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { holdGrants } from '../support/held-grants.js';

/*
 * Asks every endpoint that has an id in its path for something of workspace A, with the credential of workspace B. None
 * may find it. The endpoints come from the OpenAPI document: a new kind of id fails the test until it has a case here.
 */

let system: System;
let a: TestWorkspace;
let b: TestWorkspace;
/** The ids of workspace A, by the collection that they are in. */
let ids: Readonly<Record<string, string>>;
/** A valid body for each endpoint that looks at its body before it looks at the id. */
let bodies: Readonly<Record<string, () => object>>;

beforeAll(async () => {
  system = await startSystem();
  a = await system.workspace();
  b = await system.workspace();
  ids = await createCases(a);
  bodies = validBodies(ids, a);
});
afterAll(async () => system?.stop());

describe("another workspace's ids", () => {
  it('are not found by any endpoint, which names the parameter, and nothing of theirs changes', async () => {
    const { body: document } = await b.http.get('/v1/openapi.json').expect(200);
    const { id } = (await b.http.post('/v1/customers', { name: 'B' }).expect(201)).body as { id: string };
    const portal = await b.portalOf(id);
    const before = await state();
    const found: string[] = [];
    let asked = 0;
    for (const [path, operations] of Object.entries((document as { paths: Record<string, object> }).paths)) {
      if (!path.includes('{') || isByToken(path)) continue;
      for (const method of Object.keys(operations) as ('get' | 'post' | 'put' | 'patch' | 'delete')[]) {
        const route = `${method.toUpperCase()} ${path}`;
        const answer = await (isOfPortal(path) ? portal : b.session)[method](filled(path), bodies[route]?.());
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
    const { body: plan } = await create('/v1/plans', { name: 'P', prices: [await createFee(b)] }).expect(201);
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
      [`/v1/customers/${customerId}/coupons`, { couponId: ids['coupons'] }, 'couponId'],
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

/** What the lists of workspace A show. */
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

/** Creates one of everything that a path can name. */
async function createCases(workspace: TestWorkspace): Promise<Record<string, string>> {
  const { http, session } = workspace;
  const created = await createOneOfEverything(workspace);
  const create = async (path: string, body: object, as = http): Promise<string> => {
    const answer = await as.post(path, body);
    expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
    return (answer.body as { id: string }).id;
  };
  const addPrices = [await createFee(workspace)];
  const { body: scheduled } = await http
    .post(`/v1/subscriptions/${created['subscriptions']}/schedule-amendment`, { addPrices })
    .expect(200);
  return {
    ...created,
    amendments: (scheduled as { amendment: { id: string } }).amendment.id,
    'payment-methods': await create(`/v1/customers/${created['customers']}/payment-methods`, {
      type: 'test',
      test: 'pm_card_visa',
    }),
    'price-migrations': await create('/v1/price-migrations', {
      name: 'Prices of 2027',
      fromPlanId: created['plans'],
      toPlanId: created['otherPlans'],
      effectiveAt: '2027-01-01T00:00:00Z',
    }),
    approvals: (await holdGrants(system, workspace, created['customers']!))[0]!,
    // Every workspace has a policy for each action, so only an unknown action is not found.
    policies: 'none.such',
    'tax-rates': await create('/v1/tax-rates', { name: 'VAT', percentage: 19 }),
    'sso-connections': await create('/v1/sso-connections', {
      ...{ name: 'A', issuer: 'https://login.example.com', clientId: 'c', clientSecret: 's' },
      ...{ domains: ['example.com'], redirectUris: ['https://example.com/sso'] },
    }),
    domains: 'example.com',
    'api-keys': await create('/v1/api-keys', { name: 'theirs', role: 'viewer' }, session),
    deliveries: 'evt_none',
    'credit-notes': 'cn_none',
  };
}

/** Creates a price of 10 USD, and returns its id. */
async function createFee({ http }: TestWorkspace): Promise<string> {
  const config = { model: 'flat', amount: 10, currency: 'USD' };
  return ((await http.post('/v1/prices', { name: 'Fee', config }).expect(201)).body as { id: string }).id;
}

/** The path of an endpoint with the ids of workspace A. Throws where no case is known. */
function filled(path: string): string {
  return path.replace(/([^/]+)\/\{[^}]+\}/g, (_, collection: string) => {
    const id = ids[collection];
    if (id === undefined)
      throw new Error(`No case for the ids under "${collection}" of ${path}; add one to createCases`);
    return `${collection}/${id}`;
  });
}

/** Whether the endpoint is for customers, with a portal token. */
function isOfPortal(path: string): boolean {
  return path.startsWith('/v1/portal/') && !path.startsWith('/v1/portal/sessions');
}

/** Whether the parameter of the path is itself the credential. */
function isByToken(path: string): boolean {
  return path.startsWith('/i/{token}');
}
