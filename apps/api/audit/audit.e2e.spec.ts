import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import {
  createPool,
  clientOf,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { freezeClock } from '../../../test/support/plans.js';

let system: System;
let workspace: TestWorkspace;
let session: Client;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());
beforeEach(async () => {
  workspace = await system.workspace();
  session = workspace.session;
});

interface Entry {
  id: string;
  action: string;
  resourceType: string;
  resourceId: string;
  actor: { type: string; id: string };
  createdAt: string;
  requestId: string;
  data: Record<string, unknown>;
  hash: string;
}

async function audit(query: Record<string, string | number> = {}): Promise<Entry[]> {
  const parameters = new URLSearchParams(query as Record<string, string>);
  const { body } = await session.get(`/v1/audit?${parameters.toString()}`).expect(200);
  return (body as { data: Entry[] }).data;
}
const actions = (entries: Entry[]): string[] => entries.map(({ action }) => action);

const createCustomer = async (id: string) =>
  workspace.http.post('/v1/customers', { id, name: 'Ada Lovelace', email: 'ada@example.com' }).expect(201);

describe('GET /v1/audit', () => {
  it('lists what was done, newest first, with who did it and by which request', async () => {
    const { headers } = await createCustomer('ada');
    await session.patch('/v1/customers/ada', { name: 'Ada King' }).expect(200);
    const entries = await audit();
    expect(actions(entries)).toEqual([
      'customer.updated',
      'customer.created',
      'api_key.created',
      'user.signed_in',
      'user.registered',
      'workspace.created',
    ]);
    const { body: me } = await session.get('/v1/users/me').expect(200);
    expect(entries[0]).toMatchObject({
      resourceType: 'customer',
      resourceId: 'ada',
      actor: { type: 'user', id: me.id },
      data: { changed: ['name'] },
    });
    expect(entries[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'customer.created',
      resourceType: 'customer',
      resourceId: 'ada',
      actor: { type: 'api_key', id: entries[2]!.resourceId },
      createdAt: expect.stringMatching(/Z$/),
      requestId: headers['x-request-id'],
      data: { currency: 'USD', timezone: 'UTC' },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(new Set(entries.map(({ hash }) => hash)).size).toBe(entries.length);
  });

  it('holds no personal data', async () => {
    await createCustomer('ada');
    await session.patch('/v1/customers/ada', { name: 'Ada King', email: 'king@example.com' }).expect(200);
    await audit();
    const pool = createPool(system.database, 1);
    const { rows } = await pool.query('SELECT * FROM read.audit');
    await pool.end();
    expect(rows.length).toBeGreaterThan(4);
    expect(JSON.stringify(rows)).not.toMatch(/Ada|King|example\.com|Test User/);
  });

  it('filters by action, or by the beginning of one', async () => {
    await createCustomer('ada');
    await workspace.http.delete('/v1/customers/ada').expect(204);
    expect(actions(await audit({ action: 'customer.created' }))).toEqual(['customer.created']);
    expect(actions(await audit({ action: 'customer.*' }))).toEqual(['customer.deleted', 'customer.created']);
    expect(actions(await audit({ action: 'cust*' }))).toHaveLength(2);
    expect(await audit({ action: '*' })).toHaveLength(6);
    expect(await audit({ action: 'customer' })).toEqual([]);
  });

  it.each([
    'customer_created',
    'customer%',
    'customer.%',
    '%*',
    '_ustomer.*',
    'c*r.*',
    'customer.create\\*',
    '(a+)+$',
  ])('takes every other character in %s as it is', async (action) => {
    await createCustomer('ada');
    expect(await audit({ action })).toEqual([]);
  });

  it('filters by resource', async () => {
    await createCustomer('ada');
    await createCustomer('grace');
    expect((await audit({ resourceType: 'customer' })).map(({ resourceId }) => resourceId)).toEqual([
      'grace',
      'ada',
    ]);
    expect(actions(await audit({ resourceType: 'customer', resourceId: 'ada' }))).toEqual([
      'customer.created',
    ]);
    expect(await audit({ resourceType: 'invoice', resourceId: 'ada' })).toEqual([]);
  });

  it('filters by time, both ends included, by the clock of the workspace', async () => {
    for (const [id, now] of [
      ['a', '2026-01-01T00:00:00.000Z'],
      ['b', '2026-01-02T00:00:00.000Z'],
      ['c', '2026-01-03T00:00:00.000Z'],
    ] as const) {
      await freezeClock(workspace, now);
      await createCustomer(id);
    }
    const between = async (query: Record<string, string>) =>
      (await audit({ resourceType: 'customer', ...query })).map(({ resourceId }) => resourceId);
    expect(await between({ since: '2026-01-02T00:00:00Z' })).toEqual(['c', 'b']);
    expect(await between({ until: '2026-01-02T00:00:00Z' })).toEqual(['b', 'a']);
    expect(await between({ since: '2026-01-02T00:00:00.001Z', until: '2026-01-02T23:59:59.999Z' })).toEqual(
      [],
    );
    expect(await between({ since: '2026-01-02T01:00:00+01:00', until: '2026-01-02' })).toEqual(['b']);
  });

  it('pages in a stable order, also among entries of one moment', async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await createCustomer(id);
    const pages: string[] = [];
    for (let offset = 0; offset < 6; offset += 2)
      pages.push(
        ...(await audit({ resourceType: 'customer', limit: 2, offset })).map(({ resourceId }) => resourceId),
      );
    expect(pages).toEqual(ids.toReversed());
  });

  it('is in the order in which it happened, whichever clock an entry has its time of', async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    await createCustomer('ada');
    const [last, before] = await audit();
    expect(actions([last!, before!])).toEqual(['customer.created', 'api_key.created']);
    // The key is from before the sandbox had a clock of its own.
    expect(before!.createdAt > last!.createdAt).toBe(true);
  });

  it.each([
    ['since', 'yesterday'],
    ['since', '2026-02-30T00:00:00Z'],
    ['until', '2026-01-01T00:00:00'],
    ['until', ''],
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', 'ten'],
    ['offset', '-1'],
    ['format', 'xml'],
    ['actor', 'me'],
  ])('refuses %s=%s', async (name, value) => {
    const { body } = await session.get(`/v1/audit?${name}=${encodeURIComponent(value)}`).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: name }] });
  });

  it('is for signed-in users with audit access', async () => {
    await workspace.http.get('/v1/audit').expect(403);
    await workspace.http.get('/v1/audit?format=csv').expect(403);
    await clientOf(system.url).get('/v1/audit').expect(401);
  });

  it("shows nothing of another workspace's", async () => {
    await createCustomer('ada');
    const other = await system.workspace();
    const { body } = await other.session.get('/v1/audit?resourceId=ada').expect(200);
    expect(body).toEqual({ data: [], hasMore: false });
  });
});

describe('the audit trail as CSV', () => {
  it('is a file with a header and a line for each entry', async () => {
    await createCustomer('ada');
    const { text, headers } = await session.get('/v1/audit?format=csv&limit=10000').expect(200);
    expect(headers['content-type']).toMatch(/^text\/csv; charset=utf-8/);
    expect(headers['content-disposition']).toBe('attachment; filename="audit.csv"');
    const records: Record<string, string>[] = parse(text, { columns: true, record_delimiter: '\r\n' });
    const entries = await audit({ limit: 1_000 });
    expect(records).toEqual(
      entries.map(({ actor, data, ...entry }) => ({
        ...entry,
        actorType: actor.type,
        actorId: actor.id,
        data: JSON.stringify(data),
      })),
    );
    expect(text.split('\r\n')[0]).toBe(
      'id,createdAt,action,resourceType,resourceId,actorType,actorId,requestId,data,hash',
    );
  });

  it('takes the filters and the page too', async () => {
    await createCustomer('ada');
    const { text } = await session.get('/v1/audit?format=csv&action=customer.*&limit=1&offset=0').expect(200);
    expect(text.trimEnd().split('\r\n')).toHaveLength(2);
    expect(
      (await session.get('/v1/audit?format=csv&action=none').expect(200)).text.split('\r\n'),
    ).toHaveLength(2);
    await session.get('/v1/audit?format=csv&limit=10001').expect(400);
  });

  it('is nothing that a spreadsheet would run', async () => {
    await createCustomer('-1.cmd');
    const { text } = await session.get('/v1/audit?format=csv&resourceType=customer').expect(200);
    expect(text).toContain(",'-1.cmd,");
  });
});
