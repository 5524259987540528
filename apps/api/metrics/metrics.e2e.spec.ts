import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import {
  advanceClock,
  createPlan,
  createPool,
  freezeClock,
  perUnit,
  startSystem,
  subscribe,
  type Client,
  type System,
  type TestWorkspace,
  use,
} from '../../../test/support/index.js';
import { verificationOf } from '../../../test/support/ledger-verification.js';
import { HOSTILE } from '../../../test/support/hostile-sql.js';

let system: System;
let pool: pg.Pool;
let workspace: TestWorkspace;
let http: Client;

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database);
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
});

const count = { type: 'count' };
const create = async (body: object): Promise<{ id: string; version: number; aggregation: object }> =>
  (await http.post('/v1/metrics', body).expect(201)).body;

describe('a metric', () => {
  it('is counted from when it is made, and anew when it is changed, before anybody asks for a quantity', async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const { id } = await create({ name: 'Calls', eventName: 'call', aggregation: count });
    const metersAt = async (to: string) => {
      await advanceClock(workspace, to);
      const { rows } = await pool.query<{ aggregation: object }>(
        `SELECT m.aggregation FROM usage.meters m JOIN usage.streams s ON s.id = m.stream_id
         WHERE s.workspace_id = $1 AND s.event_name = 'call' ORDER BY m.id`,
        [workspace.workspaceId],
      );
      return rows.map(({ aggregation }) => aggregation);
    };
    expect(await metersAt('2026-01-02T00:00:00.000Z')).toMatchObject([{ type: 'count' }]);
    await http.patch(`/v1/metrics/${id}`, { aggregation: { type: 'sum', property: 'n' } }).expect(200);
    expect(await metersAt('2026-01-03T00:00:00.000Z')).toMatchObject([{ type: 'count' }, { type: 'sum' }]);
  });
});

describe('POST /v1/metrics', () => {
  it('creates a metric with every field, and a GET right after sees it', async () => {
    const body = {
      name: 'Tokens',
      description: 'Tokens in and out',
      eventName: 'completion',
      aggregation: {
        type: 'sum',
        property: 'usage.tokens',
        filter: { 'request.model': ['large', 'small'], cached: false, tier: 2 },
        groupBy: ['region', 'request.model'],
      },
    };
    const created = await create(body);
    expect(created).toEqual({
      ...body,
      nameTranslations: {},
      id: expect.stringMatching(/^met_[0-9A-Z]{26}$/),
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await http.get(`/v1/metrics/${created.id}`).expect(200)).body).toEqual(created);
    expect((await http.get('/v1/metrics').expect(200)).body).toEqual({ data: [created], hasMore: false });
  });

  it('needs a name and a type only; the event name is the name', async () => {
    expect(await create({ name: 'api_request', aggregation: count })).toMatchObject({
      description: null,
      eventName: 'api_request',
      aggregation: count,
    });
  });

  it.each(['sum', 'max', 'count_distinct'])('takes %s with a property, and not without', async (type) => {
    await create({ name: 'm', aggregation: { type, property: 'p' } });
    const { body } = await http.post('/v1/metrics', { name: 'm', aggregation: { type } }).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: 'aggregation.property' }] });
  });

  it('takes SQL, and refuses what is hostile, naming the field', async () => {
    const aggregation = { type: 'sql', groupBy: ['region'] };
    const sql = `sum(number(properties->'n')) / 1000`;
    const { id, ...created } = await create({ name: 'm', aggregation, sql });
    expect(created).toMatchObject({ aggregation, sql, version: 1 });
    for (const [, hostile] of HOSTILE) {
      const { body } = await http.post('/v1/metrics', { name: 'h', aggregation, sql: hostile }).expect(400);
      expect(body.details).toMatchObject([{ field: 'sql' }]);
    }
    expect((await http.get('/v1/metrics').expect(200)).body.data).toMatchObject([{ id, sql }]);
    const changed = await http.patch(`/v1/metrics/${id}`, { sql: 'count(*)' }).expect(200);
    expect(changed.body).toMatchObject({ aggregation, sql: 'count(*)', version: 2 });
    const { body } = await http.patch(`/v1/metrics/${id}`, { sql: 'sum(amount)' }).expect(400);
    expect(body).toMatchObject({ code: 'invalid_sql', details: [{ field: 'sql' }] });
    expect(body.details[0].message).toMatch(/column "amount" does not exist \(at character 5\)$/);
  });

  it('names the field that is wrong', async () => {
    const wrong: [object, string][] = [
      [{ aggregation: count }, 'name'],
      [{ name: '', aggregation: count }, 'name'],
      [{ name: 'x'.repeat(201), aggregation: count }, 'name'],
      [{ name: 1, aggregation: count }, 'name'],
      [{ name: 'm', description: 'x'.repeat(1_001), aggregation: count }, 'description'],
      [{ name: 'm', eventName: 'x'.repeat(256), aggregation: count }, 'eventName'],
      [{ name: 'm' }, 'aggregation'],
      [{ name: 'm', aggregation: [] }, 'aggregation'],
      [{ name: 'm', aggregation: 'count' }, 'aggregation'],
      [{ name: 'm', aggregation: {} }, 'aggregation.type'],
      [{ name: 'm', aggregation: { type: 'avg' } }, 'aggregation.type'],
      [{ name: 'm', aggregation: { ...count, window: 1 } }, 'aggregation.window'],
      [{ name: 'm', aggregation: { type: 'sum', property: `${'a.'.repeat(10)}a` } }, 'aggregation.property'],
      [{ name: 'm', aggregation: { ...count, filter: { a: { b: 1 } } } }, 'aggregation.filter'],
      [{ name: 'm', aggregation: { ...count, filter: ['a'] } }, 'aggregation.filter'],
      [{ name: 'm', aggregation: { ...count, groupBy: 'region' } }, 'aggregation.groupBy'],
      [{ name: 'm', aggregation: count, sql: 'count(*)' }, 'sql'],
      [{ name: 'm', aggregation: count, unit: 'token' }, 'unit'],
      [{ name: 'm', aggregation: count, id: 'met_1' }, 'id'],
    ];
    for (const [body, field] of wrong) {
      const { body: answer } = await http.post('/v1/metrics', body).expect(400);
      expect(answer).toMatchObject({ code: 'validation_failed', details: [{ field }] });
    }
  });

  it('makes one metric of a repeated request with one key', async () => {
    const post = () =>
      http.post('/v1/metrics', { name: 'm', aggregation: count }).set('idempotency-key', 'k').expect(201);
    const [one, two] = await Promise.all([post(), post()]);
    expect(one.body).toEqual(two.body);
    expect((await http.get('/v1/metrics').expect(200)).body.data).toHaveLength(1);
  });
});

describe('a metric of SQL', () => {
  it('is billed as it was previewed, by the events of the period, and verified', async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const sql = `SELECT max(n) FROM (SELECT date_trunc('day', timestamp) AS day, sum(number(properties->'n')) AS n
      FROM events GROUP BY 1) days`;
    const aggregation = { type: 'sql', groupBy: ['region'] };
    const { id } = await create({ name: 'Busiest day', eventName: 'call', aggregation, sql });
    const planId = await createPlan(workspace, perUnit('Busiest day', id, 2));
    const { subscriptionId } = await subscribe(workspace, planId, { id: 'north' });
    await http.post('/v1/customers', { id: 'south', name: 'Southwind Ltd' }).expect(201);
    await advanceClock(workspace, '2026-01-31T00:00:00.000Z');
    await use(workspace, 'north', 'call', '2026-01-02T10:00:00Z', { n: 1.5, region: 'eu' });
    await use(workspace, 'north', 'call', '2026-01-02T11:00:00Z', { n: 2, region: 'eu' });
    await use(workspace, 'north', 'call', '2026-01-03T10:00:00Z', { n: 3, region: 'eu' });
    await use(workspace, 'north', 'call', '2026-01-03T10:00:00Z', { n: 0.25, region: 'us' });
    await use(workspace, 'south', 'call', '2026-01-03T10:00:00Z', { n: 1_000, region: 'eu' });

    // By region: the 2nd of January in eu with 3.5, the 3rd in us with 0.25; each at 2.00.
    const lines = [
      { quantity: 3.5, amount: 7 },
      { quantity: 0.25, amount: 0.5 },
    ];
    const preview = await http.post(`/v1/subscriptions/${subscriptionId}/invoices/compute`).expect(200);
    expect(preview.body).toMatchObject({ lines, total: 7.5 });
    await advanceClock(workspace, '2026-02-01T00:00:00.000Z');
    await use(workspace, 'north', 'call', '2026-01-02T12:00:00Z', { n: 50, region: 'eu' });
    const { body: invoices } = await http.get('/v1/invoices?customer_id=north').expect(200);
    expect(invoices.data).toMatchObject([{ lines, total: 7.5 }]);

    // With what came late, the 2nd of January has 53.5 in eu.
    await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
    const { body: later } = await http.get('/v1/invoices?customer_id=north').expect(200);
    const quantities = [{ group: 'eu', billed: 3.5, counted: 53.5 }];
    expect(later.data[0]).toMatchObject({
      lines: [{ type: 'late_usage', amount: 100, late: { billed: 7.5, counted: 107.5, quantities } }],
      total: 100,
    });
    expect((await verificationOf(system)).found).toEqual([]);
  });

  it('that fails on what came late holds that up, and no invoice, until a version can count it', async () => {
    await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
    const sql = `sum((properties->>'n')::numeric)`;
    const { id } = await create({ name: 'Calls', eventName: 'call', aggregation: { type: 'sql' }, sql });
    await subscribe(workspace, await createPlan(workspace, perUnit('Calls', id, 1)), { id: 'north' });
    await use(workspace, 'north', 'call', '2026-01-01T00:00:00Z', { n: 10 });
    const billedUntil = async (month: string) => {
      await advanceClock(workspace, `2026-${month}-01T00:00:00.000Z`);
      const { body } = await http.get('/v1/invoices?customer_id=north').expect(200);
      return body.data[0];
    };
    expect(await billedUntil('02')).toMatchObject({ lines: [{ type: 'usage', amount: 10 }] });
    await use(workspace, 'north', 'call', '2026-01-03T00:00:00Z', { n: 'many' });
    await use(workspace, 'north', 'call', '2026-01-03T00:00:00Z', { n: 5 });
    expect(await billedUntil('03')).toMatchObject({ lines: [{ type: 'usage', amount: 0 }] });

    await http.patch(`/v1/metrics/${id}`, { sql: `sum(number(properties->'n'))` }).expect(200);
    const late = { type: 'late_usage', metricVersion: 2, periodStart: '2026-01-01T00:00:00.000Z' };
    expect(await billedUntil('04')).toMatchObject({ lines: [{}, { ...late, quantity: 5, amount: 5 }] });
    const backfilled = { customerId: 'north', eventName: 'call', timestamp: '2026-01-04T00:00:00Z' };
    await http.post('/v1/events/backfill', { ...backfilled, properties: { n: 2 } }).expect(200);
    expect(await billedUntil('05')).toMatchObject({ lines: [{}, { ...late, quantity: 2, amount: 2 }] });
    expect((await verificationOf(system)).found).toEqual([]);
  });
});

describe('GET /v1/metrics', () => {
  it('lists in the order of creation, in pages', async () => {
    for (const name of ['c', 'a', 'b']) await create({ name, aggregation: count });
    const names = async (query: string) =>
      ((await http.get(`/v1/metrics${query}`).expect(200)).body.data as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await names('')).toEqual(['c', 'a', 'b']);
    expect(await names('?limit=1&offset=1')).toEqual(['a']);
    expect((await http.get('/v1/metrics?limit=0').expect(400)).body.details[0].field).toBe('limit');
    expect((await http.get('/v1/metrics?page=1').expect(400)).body.details[0].field).toBe('page');
  });
});

describe('PATCH /v1/metrics/:id', () => {
  it('makes a new version with what is given, and leaves the event name to a new name', async () => {
    const { id } = await create({ name: 'request', aggregation: count });
    const { body } = await http.patch(`/v1/metrics/${id}`, { name: 'Requests' }).expect(200);
    expect(body).toMatchObject({
      id,
      name: 'Requests',
      eventName: 'request',
      aggregation: count,
      version: 2,
    });
    expect((await http.get(`/v1/metrics/${id}`).expect(200)).body).toEqual(body);
  });

  it('replaces the whole aggregation', async () => {
    const { id } = await create({ name: 'm', aggregation: { ...count, filter: { ok: true } } });
    const aggregation = { type: 'max', property: 'seats' };
    const { body } = await http.patch(`/v1/metrics/${id}`, { aggregation }).expect(200);
    expect(body.aggregation).toEqual(aggregation);
  });

  it('makes no version when nothing differs', async () => {
    const { id } = await create({ name: 'm', aggregation: count });
    expect((await http.patch(`/v1/metrics/${id}`, {}).expect(200)).body.version).toBe(1);
    expect(
      (await http.patch(`/v1/metrics/${id}`, { name: 'm', aggregation: count }).expect(200)).body.version,
    ).toBe(1);
  });

  it('refuses null where something must stand, and an aggregation that cannot be', async () => {
    const { id } = await create({ name: 'm', aggregation: count });
    for (const field of ['name', 'eventName', 'aggregation']) {
      const { body } = await http.patch(`/v1/metrics/${id}`, { [field]: null }).expect(400);
      expect(body.details[0].field).toBe(field);
    }
    await http.patch(`/v1/metrics/${id}`, { aggregation: { type: 'sum' } }).expect(400);
    expect((await http.patch(`/v1/metrics/${id}`, { description: null }).expect(200)).body.version).toBe(1);
  });
});

describe('DELETE /v1/metrics/:id', () => {
  it('is refused while a price charges for it, and done after', async () => {
    const { id } = await create({ name: 'm', aggregation: count });
    const config = { model: 'unit', unitPrice: 1, currency: 'USD' };
    const { body: price } = await http
      .post('/v1/prices', { name: 'Requests', config, metricId: id })
      .expect(201);
    const { body } = await http.delete(`/v1/metrics/${id}`).expect(409);
    expect(body).toMatchObject({ code: 'metric_in_use', error: expect.stringContaining(price.id) });
    await http.delete(`/v1/prices/${price.id}`).expect(204);
    await http.delete(`/v1/metrics/${id}`).expect(204);
    await http.delete(`/v1/metrics/${id}`).expect(404);
    await http.get(`/v1/metrics/${id}`).expect(404);
    await http.patch(`/v1/metrics/${id}`, { name: 'n' }).expect(404);
    expect((await http.get('/v1/metrics').expect(200)).body.data).toEqual([]);
  });
});

describe("another workspace's metric", () => {
  it('is not found, whatever is tried', async () => {
    const other = (await system.workspace()).http;
    const { id } = await create({ name: 'm', aggregation: count });
    await other.get(`/v1/metrics/${id}`).expect(404);
    await other.patch(`/v1/metrics/${id}`, { name: 'n' }).expect(404);
    await other.delete(`/v1/metrics/${id}`).expect(404);
    expect((await other.get('/v1/metrics').expect(200)).body.data).toEqual([]);
    expect((await http.get(`/v1/metrics/${id}`).expect(200)).body.name).toBe('m');
  });
});

describe('POST /v1/metrics/evaluate', () => {
  const sum = { type: 'sum', property: 'usage.tokens', groupBy: ['region'] };
  const events = [
    { eventName: 'completion', properties: { usage: { tokens: 20 }, region: 'eu' } },
    { eventName: 'completion', idempotencyKey: 'k', properties: { usage: { tokens: 0.1 }, region: 'eu' } },
    { eventName: 'completion', idempotencyKey: 'k', properties: { usage: { tokens: 99 }, region: 'eu' } },
    { eventName: 'completion', properties: { usage: { tokens: 'many' }, region: 'eu' } },
    { eventName: 'other', properties: { usage: { tokens: 7 }, region: 'us' } },
  ];

  it('says what sample events come to, and stores none', async () => {
    const body = { aggregation: sum, eventName: 'completion', events };
    const answer = { groups: [{ group: { region: 'eu' }, quantity: 20.1 }], events: 2, skipped: 1 };
    expect((await http.post('/v1/metrics/evaluate', body).expect(200)).body).toEqual(answer);
    const { id: metricId } = await create({ name: 'Tokens', eventName: 'completion', aggregation: sum });
    expect((await http.post('/v1/metrics/evaluate', { metricId, events }).expect(200)).body).toEqual(answer);
    expect((await http.get('/v1/events').expect(200)).body.data).toEqual([]);
  });

  it('runs SQL on them', async () => {
    const aggregation = { type: 'sql', groupBy: ['region'] };
    const body = {
      aggregation,
      sql: `SELECT max(number(properties #> '{usage,tokens}')) * 2 FROM events`,
      events,
    };
    const answer = {
      groups: [
        { group: { region: 'eu' }, quantity: 40 },
        { group: { region: 'us' }, quantity: 14 },
      ],
      events: 4,
      skipped: 0,
    };
    expect((await http.post('/v1/metrics/evaluate', body).expect(200)).body).toEqual(answer);
    const bad = await http.post('/v1/metrics/evaluate', { ...body, sql: 'now()' }).expect(400);
    expect(bad.body.details).toMatchObject([{ field: 'sql' }]);
  });

  it('looks at the events of a time range, which begins with its start', async () => {
    const at = (timestamp: string) => ({ timestamp, properties: {} });
    const range = { startTime: '2026-01-01T00:00:00Z', endTime: '2026-02-01T00:00:00Z' };
    const times = [at('2026-01-01T00:00:00Z'), at('2026-01-31T23:59:59.999999Z'), at('2026-02-01T00:00:00Z')];
    const { body } = await http
      .post('/v1/metrics/evaluate', { aggregation: { type: 'count' }, events: times, ...range })
      .expect(200);
    expect(body).toEqual({ groups: [{ group: {}, quantity: 2 }], events: 2, skipped: 0 });
  });

  it('names what is wrong, of each event too', async () => {
    const aggregation = { type: 'count' };
    const wrong: [object, string][] = [
      [{ events: [] }, 'aggregation'],
      [{ aggregation, metricId: 'met_1', events: [] }, 'aggregation'],
      [{ aggregation: { type: 'sum' }, events: [] }, 'aggregation.property'],
      [{ aggregation: { type: 'sql' }, events: [] }, 'sql'],
      [{ metricId: 'met_1', sql: 'count(*)', events: [] }, 'sql'],
      [{ metricId: 'met_1', eventName: 'a', events: [] }, 'eventName'],
      [{ aggregation }, 'events'],
      [{ aggregation, events: [1] }, 'events[0]'],
      [{ aggregation, events: [{}, { timestamp: 'now' }] }, 'events[1].timestamp'],
      [{ aggregation, events: [{ properties: 1 }] }, 'events[0].properties'],
    ];
    for (const [body, field] of wrong)
      expect((await http.post('/v1/metrics/evaluate', body).expect(400)).body.details[0].field).toBe(field);
    await http.post('/v1/metrics/evaluate', { metricId: 'met_1', events: [] }).expect(404);
  });
});
