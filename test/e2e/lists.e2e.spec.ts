import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createOneOfEverything,
  operationsOf,
  startSystem,
  type Client,
  type Ids,
  type Operation,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { createMore, listedEndpoints } from '../support/per-worker/endpoint-tables.ts';

/*
 * Reads every list of the OpenAPI document entry by entry with `after`. This must give what one answer gives. Many entries
 * of a list have the same time, because the clock of the sandbox stands.
 */

let system: System;
let workspace: TestWorkspace;
let lists: Operation[];
let portal: Client;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  const created = await createOneOfEverything(workspace);
  portal = await workspace.portalOf(created['customers']!);
  const ids = { ...created, 'price-migrations': await createMigration(created) };
  await createMore(system, workspace, created);
  const { body } = await workspace.http.get('/v1/openapi.json').expect(200);
  lists = operationsOf(body, ids).filter(({ method, query }) => method === 'get' && query.includes('after'));
});
afterAll(async () => system?.stop());

describe('a list', () => {
  it('has the same entries by after as in one answer', async () => {
    const walked: Record<string, number> = {};
    for (const list of lists) {
      const get = async (query: string): Promise<Answer> =>
        (await clientFor(list).get(`${list.path}?${query}`).expect(200)).body as Answer;
      // As many as any list has.
      const whole = await get(/audit/.test(list.route) ? 'limit=1000' : 'limit=100');
      const entries: unknown[] = [];
      for (let query = 'limit=1'; ;) {
        const { data, hasMore, next } = await get(query);
        entries.push(...data);
        expect(hasMore).toBe(next !== undefined);
        if (next === undefined) break;
        query = `limit=1&after=${next}`;
      }
      expect({ list: list.route, data: entries }).toEqual({ list: list.route, data: whole.data });
      walked[list.route] = entries.length;
    }
    const short = Object.entries(walked).flatMap(([route, count]) => (count < 2 ? [route] : []));
    // These lists need a longer history to have two entries. They are ordered as the others are.
    expect(
      short
        .filter(
          (route) =>
            !/versions|amendments|attempts|payments|credit-notes|coupons|balance|migrations|deliveries|history|dunning|emails|users$|customers\/\{id\}\/|portal\/subscriptions/.test(
              route,
            ),
        )
        .map((route) => `${listedEndpoints().get(route)!.file} creates too few for ${route}`),
    ).toEqual([]);
    expect(Object.keys(walked).length).toBeGreaterThan(20);
  });

  it('refuses an after that is none, and one beside an offset, naming the field', async () => {
    for (const list of lists)
      for (const query of ['after=none', 'after=bm9uZQ&offset=1']) {
        const { body } = await clientFor(list).get(`${list.path}?${query}`).expect(400);
        expect({ route: list.route, ...(body as object) }).toMatchObject({
          route: list.route,
          code: 'validation_failed',
          details: [{ field: 'after' }],
        });
      }
  });

  it('of invoices counts only where it is asked for by number or offset', async () => {
    const { http } = workspace;
    const { body: first } = await http.get('/v1/invoices?limit=1').expect(200);
    expect(first.pagination).toMatchObject({ total: 5, page: 1, pageSize: 1 });
    const { body: second } = await http.get(`/v1/invoices?limit=1&after=${first.next}`).expect(200);
    expect(second).toEqual({ data: [expect.any(Object)], hasMore: true, next: expect.any(String) });
    const { body } = await http.get(`/v1/invoices?page=1&after=${first.next}`).expect(400);
    expect(body.details).toEqual([{ field: 'after', message: expect.stringContaining('page_size') }]);
  });

  it('of the audit trail as CSV says in a header what after is to be', async () => {
    const { session } = workspace;
    const rows = async (query: string) => {
      const { text, headers } = await session.get(`/v1/audit?format=csv&${query}`).expect(200);
      return { lines: text.trimEnd().split('\r\n').slice(1), next: headers['next'] };
    };
    const whole = await rows('limit=4');
    const first = await rows('limit=2');
    const second = await rows(`limit=2&after=${first.next}`);
    expect([...first.lines, ...second.lines]).toEqual(whole.lines);
  });
});

async function createMigration(ids: Ids): Promise<string> {
  const migration = {
    name: 'A',
    fromPlanId: ids['plans'],
    toPlanId: ids['otherPlans'],
    effectiveAt: '2099-01-01T00:00:00Z',
  };
  const { body } = await workspace.http.post('/v1/price-migrations', migration).expect(201);
  return (body as { id: string }).id;
}

function clientFor({ caller }: Operation): Client {
  return { customer: portal, user: workspace.session, key: workspace.http }[caller];
}

interface Answer {
  data: unknown[];
  hasMore: boolean;
  next?: string;
}
