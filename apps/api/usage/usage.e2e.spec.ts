import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createApiApp } from '#apps/api';
import {
  clientOf,
  createPool,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

let system: System;
let db: pg.Pool;
let workspace: TestWorkspace;
let http: Client;
const NOW = '2026-03-10T12:00:00.000Z';

beforeAll(async () => {
  system = await startSystem({ USAGE_BATCH_LIMIT: '50' });
  db = createPool(system.database);
});
afterAll(async () => {
  await db?.end();
  await system?.stop();
});
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
  await http.put('/v1/sandbox/clock', { now: NOW }).expect(200);
  await http.post('/v1/customers', { id: 'cust_a', name: 'A' }).expect(201);
});

const event = (more: object = {}): object => ({ customerId: 'cust_a', eventName: 'call', ...more });
const list = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await http.get(`/v1/events${query}`).expect(200)).body.data;

describe('POST /v1/events', () => {
  it.each<[string, (events: object[]) => object]>([
    ['one event', ([first]) => first!],
    ['a list', (events) => events],
    ['{events}', (events) => ({ events })],
  ])('takes %s', async (_, body) => {
    const answer = await http.post('/v1/events', body([event({ properties: { n: 1 } })])).expect(200);
    expect(answer.body).toEqual({
      accepted: [expect.stringMatching(/^use_[0-9A-Z]{26}$/)],
      rejected: [],
      warnings: [expect.objectContaining({ code: 'no_metric', eventName: 'call' })],
    });
    expect(await list()).toEqual([
      {
        id: answer.body.accepted[0],
        customerId: 'cust_a',
        eventName: 'call',
        timestamp: NOW,
        idempotencyKey: null,
        properties: { n: 1 },
        ingestedAt: expect.stringMatching(/Z$/),
        metricIds: [],
        skippedBy: [],
        filteredBy: [],
      },
    ]);
  });

  it('stores the good ones, and says of each other one what is wrong with it', async () => {
    const wrong: [object, string, string | undefined][] = [
      [{ eventName: 'call' }, 'missing_field', 'customerId'],
      [event({ eventName: undefined }), 'missing_field', 'eventName'],
      [event({ customerId: 'no spaces' }), 'invalid_field', 'customerId'],
      [event({ customerId: 'cust_other' }), 'customer_not_found', 'customerId'],
      [event({ timestamp: 'yesterday' }), 'invalid_field', 'timestamp'],
      [event({ timestamp: '2026-03-10T12:05:00.001Z' }), 'timestamp_too_late', 'timestamp'],
      [event({ timestamp: '2026-02-03T11:59:59.999Z' }), 'timestamp_too_early', 'timestamp'],
      [event({ properties: [] }), 'invalid_field', 'properties'],
      [event({ properties: { a: deep(10) } }), 'properties_too_deep', 'properties'],
      [event({ properties: { a: 'x'.repeat(17_000) } }), 'properties_too_large', 'properties'],
      [event({ properties: { a: 'NUL \u0000' } }), 'invalid_field', 'properties.a'],
      [event({ amount: 1 }), 'unknown_field', 'amount'],
    ];
    const good = [event({ timestamp: '2026-03-10T12:05:00Z' }), event({ timestamp: '2026-02-03T12:00:00Z' })];
    const events = [good[0], ...wrong.map(([one]) => one), 5, good[1]];
    const { body } = await http.post('/v1/events', { events }).expect(200);
    expect(body.accepted).toHaveLength(2);
    expect(
      body.rejected.map(({ index, code, field }: Record<string, unknown>) => [index, code, field]),
    ).toEqual([
      ...wrong.map(([, code, field], i) => [i + 1, code, field]),
      [wrong.length + 1, 'not_an_object', undefined],
    ]);
    expect(body.rejected[3]).toEqual({
      index: 4,
      event: event({ customerId: 'cust_other' }),
      code: 'customer_not_found',
      field: 'customerId',
      error: 'No customer "cust_other" in this workspace',
      reason: 'No customer "cust_other" in this workspace',
      details: [{ field: 'customerId', message: 'No customer "cust_other" in this workspace' }],
    });
    expect(await list('?start_time=2026-01-01&end_time=2027-01-01')).toHaveLength(2);
  });

  it('counts events with one key once, and answers the first one’s id', async () => {
    const first = await http.post('/v1/events', [
      event({ idempotencyKey: 'k' }),
      event({ idempotencyKey: 'k' }),
    ]);
    const second = await http.post('/v1/events', event({ idempotencyKey: 'k', properties: { other: true } }));
    const [id] = first.body.accepted;
    expect(first.body.accepted).toEqual([id, id]);
    expect(second.body.accepted).toEqual([id]);
    expect([first.headers['usage-events-repeated'], second.headers['usage-events-repeated']]).toEqual([
      '1',
      '1',
    ]);
    expect(await list()).toHaveLength(1);
  });

  it('stores nothing twice if the answer to an Idempotency-Key was lost, whether or not a gate admits the events', async () => {
    await http.post('/v1/customers', { id: 'cust_limited', name: 'Limited' }).expect(201);
    const aggregation = { type: 'count' };
    const metricId = (await http.post('/v1/metrics', { name: 'call', aggregation }).expect(201)).body.id;
    const limit = { customerId: 'cust_limited', metricId, limit: 1, per: 'month', action: 'block' };
    await http.post('/v1/usage-limits', limit).expect(201);
    const limited = event({ customerId: 'cust_limited' });
    const send = (events: object[]) =>
      http.post('/v1/events', events).set('Idempotency-Key', 'k').expect(200);
    const loseAnswers = () => db.query('DELETE FROM idempotency.answers');

    // Two equal events of one request are two events.
    const events = [event(), event(), limited, limited, event({ idempotencyKey: 'own' })];
    const first = await send(events);
    expect(first.body.accepted).toHaveLength(4);
    await loseAnswers();
    const again = await send(events);
    expect(again.body).toEqual(first.body);
    expect(again.headers['usage-events-repeated']).toBe('4');
    await loseAnswers();
    const [one, two] = (await send([event({ properties: { corrected: true } }), event()])).body.accepted;
    expect(two).toBe(first.body.accepted[0]);
    expect((await list()).map(({ id, idempotencyKey }) => [id, idempotencyKey]).sort()).toEqual(
      [...first.body.accepted, one].sort().map((id) => [id, id === first.body.accepted[3] ? 'own' : null]),
    );
  });

  it('keeps the keys of two workspaces apart', async () => {
    const other = (await system.workspace()).http;
    await other.post('/v1/customers', { id: 'cust_a', name: 'A' }).expect(201);
    const ids = await Promise.all(
      [http, other].map(
        async (one) => (await one.post('/v1/events', event({ idempotencyKey: 'k' }))).body.accepted[0],
      ),
    );
    expect(ids[0]).not.toBe(ids[1]);
    expect(await list()).toHaveLength(1);
  });

  it('refuses more events than the limit, unknown fields beside events, and what is neither', async () => {
    const many = await http
      .post(
        '/v1/events',
        Array.from({ length: 51 }, () => event()),
      )
      .expect(400);
    expect(many.body).toMatchObject({ code: 'too_many_events', error: expect.stringContaining('50') });
    await http.post('/v1/events', { events: [], more: 1 }).expect(400);
    await http.post('/v1/events', { events: event() }).expect(400);
    await http.post('/v1/events').expect(400);
    expect((await http.post('/v1/events', []).expect(200)).body).toEqual({
      accepted: [],
      rejected: [],
      warnings: [],
    });
    expect(await list()).toEqual([]);
  });

  it('rejects an event with a forbidden key, or nested too deep, alone, and keeps the process unharmed', async () => {
    const properties = [
      '{"__proto__":{"polluted":true}}',
      '{"constructor":1}',
      '{"a":{"prototype":1}}',
      `${'{"a":'.repeat(18)}1${'}'.repeat(18)}`,
      `{"a":${'['.repeat(300)}${']'.repeat(300)}}`,
    ];
    const wrong = properties.map((one) => `{"customerId":"cust_a","eventName":"call","properties":${one}}`);
    const { body } = await http
      .post('/v1/events')
      .set('content-type', 'application/json')
      .send(`[${wrong.join()},{"__proto__":1},${JSON.stringify(event())}]`)
      .expect(200);
    expect(body.accepted).toHaveLength(1);
    expect(body.rejected.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
      [0, 'forbidden_key'],
      [1, 'forbidden_key'],
      [2, 'forbidden_key'],
      [3, 'properties_too_deep'],
      [4, 'properties_too_deep'],
      [5, 'unknown_field'],
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await list()).toHaveLength(1);
  });

  it('shows of a rejected event that is far too long only its short fields', async () => {
    const long = event({ eventName: 'call', properties: { a: 'x'.repeat(30_000) } });
    const { body } = await http.post('/v1/events', [long, { ['x'.repeat(9_000)]: 1 }]).expect(200);
    const { properties: _, ...short } = long as { properties: object };
    expect(body.rejected[0]).toMatchObject({ code: 'properties_too_large', event: short });
    expect(body.rejected[0].event).not.toHaveProperty('properties');
    expect(body.rejected[1].field).toBe(`${'x'.repeat(120)}…`);
    expect(body.rejected[1].reason.length).toBeLessThan(300);
  });

  it('refuses a request of far more values than its events can have, and asks for several', async () => {
    const lists = { ...event(), properties: { a: Array.from({ length: 9_000 }, () => 1) } };
    const { body } = await http
      .post(
        '/v1/events',
        Array.from({ length: 12 }, () => lists),
      )
      .expect(413);
    expect(body).toMatchObject({
      code: 'body_too_large',
      error: expect.stringContaining('several requests'),
    });
    expect(await list()).toEqual([]);
  });

  it('stops to take events of a customer the moment it is deleted', async () => {
    expect((await http.post('/v1/events', event())).body.accepted).toHaveLength(1);
    await http.delete('/v1/customers/cust_a').expect(204);
    const { body } = await http.post('/v1/events', event()).expect(200);
    expect(body).toMatchObject({ accepted: [], rejected: [{ code: 'customer_not_found' }] });
  });

  it('stops when another process deletes the customer, long before it would ask again', async () => {
    const other = await createApiApp(system.settings);
    await other.listen(0, '127.0.0.1');
    const elsewhere = clientOf(await other.getUrl(), { 'x-api-key': workspace.apiKey });
    expect((await elsewhere.post('/v1/events', event())).body.accepted).toHaveLength(1);
    await http.delete('/v1/customers/cust_a').expect(204);
    // What a process remembers of a customer is good for a minute unless it hears of a change.
    const deleted = performance.now();
    while ((await elsewhere.post('/v1/events', event())).body.accepted.length > 0);
    expect(performance.now() - deleted).toBeLessThan(50_000);
    await other.close();
  });

  it('is for keys that may write usage', async () => {
    const key = async (role: string): Promise<string> =>
      (await workspace.session.post('/v1/api-keys', { name: role, role }).expect(201)).body.key;
    const as = async (role: string, method: 'GET' | 'POST'): Promise<number> => {
      const headers = { 'x-api-key': await key(role), 'content-type': 'application/json' };
      const body = method === 'POST' ? { body: JSON.stringify(event()) } : {};
      return (await fetch(`${system.url}/v1/events`, { method, headers, ...body })).status;
    };
    expect(await as('ingest', 'POST')).toBe(200);
    expect(await as('ingest', 'GET')).toBe(403);
    expect(await as('viewer', 'POST')).toBe(403);
    expect(await as('viewer', 'GET')).toBe(200);
  });
});

describe('POST /v1/events/backfill', () => {
  it('takes events of any age that say it, and counts a key once wherever it was sent', async () => {
    const live = await http.post('/v1/events', event({ idempotencyKey: 'k' })).expect(200);
    const old = event({ timestamp: '2019-12-31T23:59:59Z', idempotencyKey: 'old' });
    const events = [old, event({ timestamp: NOW, idempotencyKey: 'k' }), event(), old];
    const { body, headers } = await http.post('/v1/events/backfill', { events }).expect(200);
    expect(body.accepted).toEqual([body.accepted[0], live.body.accepted[0], body.accepted[0]]);
    expect(headers['usage-events-repeated']).toBe('2');
    expect(body.rejected).toMatchObject([{ index: 2, code: 'missing_field', field: 'timestamp' }]);
    expect(await list('?start_time=2019-01-01T00:00:00Z')).toMatchObject([
      { timestamp: NOW },
      { timestamp: '2019-12-31T23:59:59.000Z', id: body.accepted[0] },
    ]);
    const again = await http.post('/v1/events', { ...old }).expect(200);
    expect(again.body.rejected[0]).toMatchObject({
      code: 'timestamp_too_early',
      reason: expect.stringContaining('POST /v1/events/backfill'),
    });
  });
});

describe('GET /v1/events', () => {
  it('starts 30 days before the present instant, inclusively', async () => {
    const at = (millis: number) => new Date(Date.parse(NOW) - 30 * 86_400_000 + millis).toISOString();
    await http.post('/v1/events', [
      event({ timestamp: at(0), properties: { n: 1 } }),
      event({ timestamp: at(-1), properties: { n: 2 } }),
    ]);
    expect((await list('')).map(({ properties }) => properties)).toEqual([{ n: 1 }]);
  });

  it('lists the newest first, in pages, by customer, name and time', async () => {
    await http.post('/v1/customers', { id: 'cust_b', name: 'B' }).expect(201);
    await http.post('/v1/events', [
      event({ timestamp: '2026-03-10T10:00:00Z', properties: { n: 1 } }),
      event({ timestamp: '2026-03-10T11:00:00Z', properties: { n: 2 }, customerId: 'cust_b' }),
      event({ timestamp: '2026-03-10T09:00:00.000001Z', properties: { n: 3 } }),
      event({ timestamp: '2026-03-10T10:00:00Z', properties: { n: 4 }, eventName: 'other' }),
      event({ timestamp: '2026-02-07T00:00:00Z', properties: { n: 5 } }),
    ]);
    const numbers = async (query: string): Promise<unknown[]> =>
      (await list(query)).map(({ properties }) => (properties as { n: number }).n);
    expect(await numbers('')).toEqual([2, 4, 1, 3]);
    expect(await numbers('?limit=2')).toEqual([2, 4]);
    expect(await numbers('?limit=2&offset=2')).toEqual([1, 3]);
    expect(await numbers('?customer_id=cust_a')).toEqual([4, 1, 3]);
    expect(await numbers('?customer_id=cust_a&event_name=call')).toEqual([1, 3]);
    expect(await numbers('?event_name=other')).toEqual([4]);
    expect(await numbers('?start_time=2026-03-10T10:00:00Z')).toEqual([2, 4, 1]);
    // As it is often sent: in a query a plus that is not escaped is a space.
    expect(await numbers('?start_time=2026-03-10T11:00:00+01:00')).toEqual([2, 4, 1]);
    expect(await numbers('?end_time=2026-03-10T10:00:00Z')).toEqual([3]);
    expect(await numbers('?start_time=2026-01-01')).toEqual([2, 4, 1, 3, 5]);
    expect(await numbers('?customer_id=cust_unknown')).toEqual([]);
    expect((await list('?end_time=2026-03-10T10:00:00Z'))[0]!['timestamp']).toBe(
      '2026-03-10T09:00:00.000001Z',
    );
  });

  it('shows which metrics find nothing in an event to count, and whose filters leave it out', async () => {
    const metric = async (aggregation: object, sql?: string) =>
      (await http.post('/v1/metrics', { name: 'call', aggregation, sql }).expect(201)).body.id as string;
    const all = [
      await metric({ type: 'sum', property: 'n' }),
      await metric({ type: 'max', property: 'n', filter: { region: 'eu' } }),
      await metric({ type: 'count_distinct', property: 'n' }),
      await metric({ type: 'count' }),
      await metric({ type: 'sql' }, 'count(*)'),
    ];
    const [sum, max, distinct] = all;
    const skippedBy = async (properties: object) => {
      await http.post('/v1/events', event({ properties })).expect(200);
      const [newest] = await list('?event_name=call');
      expect(newest!['metricIds']).toEqual(all);
      return [newest!['skippedBy'], newest!['filteredBy']];
    };
    expect(await skippedBy({ n: 'abc', region: 'eu' })).toEqual([[sum, max], []]);
    expect(await skippedBy({ n: 'abc', region: 'us' })).toEqual([[sum], [max]]);
    expect(await skippedBy({ region: 'eu' })).toEqual([[sum, max, distinct], []]);
    expect(await skippedBy({ n: '12.5', region: 'eu' })).toEqual([[], []]);
  });

  it('shows which metrics count an event, also those that came after it', async () => {
    const metric = async (name: string, aggregation: object) =>
      (await http.post('/v1/metrics', { name, aggregation }).expect(201)).body.id as string;
    await http.post('/v1/events', [event(), event({ eventName: 'misspelt' })]).expect(200);
    const counted = async (name: string) => (await list(`?event_name=${name}`))[0]!['metricIds'];
    expect(await counted('call')).toEqual([]);
    const calls = await metric('call', { type: 'count' });
    const units = await metric('call', { type: 'sum', property: 'n' });
    const gone = await metric('call', { type: 'max', property: 'n' });
    await http.delete(`/v1/metrics/${gone}`).expect(204);
    expect(await counted('call')).toEqual([calls, units]);
    expect(await counted('misspelt')).toEqual([]);
  });

  it('shows nothing of another workspace', async () => {
    await http.post('/v1/events', event());
    const other = (await system.workspace()).http;
    const { body } = await other.get('/v1/events?customer_id=cust_a&start_time=2026-01-01').expect(200);
    expect(body).toEqual({ data: [], hasMore: false });
  });

  it.each(['limit=0', 'limit=1001', 'offset=-1', 'start_time=now', 'end_time=2026-13-01', 'customer=x'])(
    'refuses %s',
    async (query) => {
      const { body } = await http.get(`/v1/events?${query}`).expect(400);
      expect(body.details[0].field).toBe(query.split('=')[0]);
    },
  );

  it('keeps every digit of a number', async () => {
    const exact = '{"big":9007199254740993,"small":1e-8,"tenth":0.1,"long":0.1234567890123456789}';
    await fetch(`${system.url}/v1/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': workspace.apiKey },
      body: `{"customerId":"cust_a","eventName":"call","properties":${exact}}`,
    });
    const { text } = await http.get('/v1/events').expect(200);
    for (const digits of ['9007199254740993', '1e-8', '0.1234567890123456789'])
      expect(text).toContain(digits);
  });
});

describe('POST /v1/events/query', () => {
  const query = async (body: object): Promise<unknown> =>
    (
      await http
        .post('/v1/events/query', { eventName: 'call', startTime: '2026-03-01T00:00:00Z', ...body })
        .expect(200)
    ).body.data;

  beforeEach(async () => {
    await http.post('/v1/customers', { id: 'cust_b', name: 'B' }).expect(201);
    await http
      .post('/v1/events', [
        event({
          timestamp: '2026-03-08T23:30:00Z',
          properties: { region: 'eu', n: 0.1, user: { id: 'u1' } },
        }),
        event({
          timestamp: '2026-03-09T00:30:00Z',
          properties: { region: 'eu', n: '0.2', user: { id: 'u2' } },
        }),
        event({ timestamp: '2026-03-09T01:30:00Z', properties: { region: 'us', n: 5, user: { id: 'u1' } } }),
        event({ customerId: 'cust_b', properties: { n: 'many', user: { id: 'u1' } } }),
      ])
      .expect(200);
  });

  it('aggregates exactly, over the whole range', async () => {
    expect(await query({ aggregation: { type: 'sum', property: 'n' } })).toEqual([
      {
        windowStart: '2026-03-01T00:00:00.000Z',
        windowEnd: '2026-03-10T12:00:00.001Z',
        group: {},
        value: 5.3,
      },
    ]);
    expect(await query({ aggregation: { type: 'count' } })).toMatchObject([{ value: 4 }]);
    expect(await query({ aggregation: { type: 'max', property: 'n' } })).toMatchObject([{ value: 5 }]);
    expect(await query({ aggregation: { type: 'count_distinct', property: 'user.id' } })).toMatchObject([
      { value: 2 },
    ]);
  });

  it.each([
    ['count', { type: 'count' }],
    ['sum', { type: 'sum', property: 'n' }],
    ['max', { type: 'max', property: 'n' }],
    ['count_distinct', { type: 'count_distinct', property: 'n' }],
  ])(
    'answers a %s over a range without events with one 0, but no empty windows or groups',
    async (_, aggregation) => {
      const none = { aggregation, customerIds: ['cust_none'] };
      expect(await query(none)).toEqual([
        {
          windowStart: '2026-03-01T00:00:00.000Z',
          windowEnd: '2026-03-10T12:00:00.001Z',
          group: {},
          value: 0,
        },
      ]);
      expect(await query({ ...none, eventName: 'never sent' })).toMatchObject([{ value: 0 }]);
      expect(await query({ ...none, windowSize: 'DAY' })).toEqual([]);
      expect(await query({ ...none, groupBy: ['region'] })).toEqual([]);
    },
  );

  it('filters, groups and narrows to customers', async () => {
    const count = { type: 'count' };
    expect(await query({ aggregation: count, filter: { region: 'eu' } })).toMatchObject([{ value: 2 }]);
    expect(await query({ aggregation: count, filter: { region: ['eu', 'us'] } })).toMatchObject([
      { value: 3 },
    ]);
    expect(await query({ aggregation: count, customerIds: ['cust_b', 'cust_none'] })).toMatchObject([
      { value: 1 },
    ]);
    expect(await query({ aggregation: count, groupBy: ['region'] })).toMatchObject([
      { group: {}, value: 1 },
      { group: { region: 'eu' }, value: 2 },
      { group: { region: 'us' }, value: 1 },
    ]);
  });

  it('cuts windows in a time zone, where a day can have 23 hours', async () => {
    const windows = { aggregation: { type: 'count' }, windowSize: 'DAY', windowTimeZone: 'America/New_York' };
    // The clocks go forward in New York on 8 March 2026.
    expect(await query(windows)).toEqual([
      { windowStart: '2026-03-08T05:00:00.000Z', windowEnd: '2026-03-09T04:00:00.000Z', group: {}, value: 3 },
      { windowStart: '2026-03-10T04:00:00.000Z', windowEnd: '2026-03-11T04:00:00.000Z', group: {}, value: 1 },
    ]);
    expect(await query({ ...windows, windowSize: 'MONTH', windowTimeZone: 'UTC' })).toMatchObject([
      { windowStart: '2026-03-01T00:00:00.000Z', windowEnd: '2026-04-01T00:00:00.000Z', value: 4 },
    ]);
    expect(await query({ ...windows, windowSize: 'HOUR' })).toHaveLength(4);
    expect(await query({ ...windows, windowSize: 'MINUTE' })).toHaveLength(4);
  });

  it('begins a day at its first moment if a clock change skips or repeats midnight', async () => {
    const days = {
      eventName: 'ping',
      aggregation: { type: 'count' },
      windowSize: 'DAY',
      windowTimeZone: 'America/Havana',
    };
    // The clocks in Havana go from 0:00 to 1:00 on 8 March 2026, and went from 1:00 to 0:00 on 2 November 2025.
    const times = [
      '2025-11-02T03:30:00Z',
      '2025-11-02T04:30:00Z',
      '2025-11-02T05:30:00Z',
      '2026-03-08T05:30:00Z',
    ];
    const pings = times.map((timestamp) => event({ eventName: 'ping', timestamp }));
    await http.post('/v1/events/backfill', pings).expect(200);
    expect(await query({ ...days, startTime: '2025-11-01T00:00:00Z' })).toEqual([
      { windowStart: '2025-11-01T04:00:00.000Z', windowEnd: '2025-11-02T04:00:00.000Z', group: {}, value: 1 },
      { windowStart: '2025-11-02T04:00:00.000Z', windowEnd: '2025-11-03T05:00:00.000Z', group: {}, value: 2 },
      { windowStart: '2026-03-08T05:00:00.000Z', windowEnd: '2026-03-09T04:00:00.000Z', group: {}, value: 1 },
    ]);
  });

  it('cuts windows in time zones whose names Postgres reads as abbreviations', async () => {
    const timestamp = '2025-07-15T22:30:00Z';
    await http.post('/v1/events/backfill', [event({ eventName: 'ping', timestamp })]).expect(200);
    const inZone = (windowTimeZone: string) =>
      query({
        eventName: 'ping',
        aggregation: { type: 'count' },
        startTime: '2025-07-01T00:00:00Z',
        windowSize: 'DAY',
        windowTimeZone,
      });
    for (const [zone, windowStart] of [
      ['CET', '2025-07-15T22:00:00.000Z'],
      ['PST', '2025-07-15T07:00:00.000Z'],
      ['AET', '2025-07-15T14:00:00.000Z'],
      ['UTC', '2025-07-15T00:00:00.000Z'],
    ] as const)
      expect([zone, await inZone(zone)]).toMatchObject([zone, [{ windowStart }]]);
  });

  it.each<[string, object, string]>([
    ['no aggregation', {}, 'aggregation'],
    ['an unknown type', { aggregation: { type: 'avg' } }, 'aggregation.type'],
    ['no property', { aggregation: { type: 'sum' } }, 'aggregation.property'],
    ['a forbidden path', { aggregation: { type: 'sum', property: '__proto__.x' } }, 'aggregation.property'],
    [
      'a path of a thousand levels',
      { aggregation: { type: 'sum', property: 'a.'.repeat(999) + 'a' } },
      'aggregation.property',
    ],
    ['a filter inside', { aggregation: { type: 'count', filter: {} } }, 'aggregation.filter'],
    ['a nested filter', { aggregation: { type: 'count' }, filter: { a: { b: 1 } } }, 'filter'],
    [
      'too many groups',
      { aggregation: { type: 'count' }, groupBy: ['a', 'b', 'c', 'd', 'e', 'f'] },
      'groupBy',
    ],
    ['an empty range', { aggregation: { type: 'count' }, endTime: '2026-03-01T00:00:00Z' }, 'endTime'],
    ['an unknown window', { aggregation: { type: 'count' }, windowSize: 'YEAR' }, 'windowSize'],
    [
      'an unknown zone',
      { aggregation: { type: 'count' }, windowTimeZone: "UTC'; DROP TABLE x" },
      'windowTimeZone',
    ],
    [
      'a zone that Postgres does not know',
      { aggregation: { type: 'count' }, windowSize: 'DAY', windowTimeZone: 'US/Pacific-New' },
      'windowTimeZone',
    ],
  ])('refuses %s', async (_, body, field) => {
    const answer = await http
      .post('/v1/events/query', { eventName: 'call', startTime: '2026-03-01T00:00:00Z', ...body })
      .expect(400);
    expect(answer.body.details.map((detail: { field: string }) => detail.field)).toContain(field);
  });

  it('takes a property path as data, never as SQL', async () => {
    const property = `x'; DROP TABLE usage.events; --`;
    expect(await query({ aggregation: { type: 'sum', property }, groupBy: [property] })).toEqual([]);
    expect(await list()).toHaveLength(4);
  });
});

function deep(levels: number): object {
  return levels === 0 ? {} : { a: deep(levels - 1) };
}
