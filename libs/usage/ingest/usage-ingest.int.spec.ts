import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { MAX_COMMITS_IN_FLIGHT } from './usage-log.js';
import { startUsage, untilWaiting, usageProcess, type UsageProcess } from '../../../test/support/usage.js';

const NOW = '2026-03-10T12:00:00.000Z';
const LOCK = `hashtextextended('usage.append', 0)`;

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace(NOW);
});

const event = (more: object = {}): object => ({ customerId: 'cust_a', eventName: 'call', ...more });
const keyed = (key: string): object => event({ idempotencyKey: key });
const send = async (...events: unknown[]) => usage.ingest.ingest(workspaceId, events, 'api_key:key_1');

interface Logged {
  id: string;
  customer_id: string;
  timestamp: string;
  idempotency_key: string | null;
  properties: string;
  source: string;
}
async function logged(): Promise<Logged[]> {
  const { rows } = await usage.pool.query<Logged>(
    `SELECT id, customer_id, timestamp, idempotency_key, properties::text AS properties, source
     FROM usage.log WHERE workspace_id = $1 ORDER BY seq`,
    [workspaceId],
  );
  return rows;
}

/** A transaction that runs `work` and keeps its locks until `release` ends it. */
async function holding(
  work: string,
  values: unknown[] = [],
): Promise<(end: 'COMMIT' | 'ROLLBACK') => Promise<void>> {
  const client: pg.PoolClient = await usage.pool.connect();
  await client.query('BEGIN');
  await client.query(work, values);
  return async (end) => {
    await client.query(end);
    client.release();
  };
}

/** Another writer that has appended an event with this key, and has not committed yet. */
async function holdingKey(key: string) {
  await send(event());
  const { rows } = await usage.pool.query<{ stream: number; series: number; source: number }>(
    `SELECT stream_id AS stream, series_id AS series, source_id AS source FROM usage.events
     WHERE stream_id = (SELECT id FROM usage.streams WHERE workspace_id = $1)`,
    [workspaceId],
  );
  const { stream, series, source } = rows[0]!;
  return holding(
    `SELECT usage.append(ARRAY[$1::int], ARRAY[$2::int], ARRAY[now()], ARRAY['use_first'], ARRAY[$4::text],
       ARRAY[left(encode(sha256(convert_to($5 || E'\\n' || $4, 'UTF8')), 'hex'), 32)::uuid], ARRAY[$3::int], '[{}]')`,
    [stream, series, source, key, workspaceId],
  );
}

describe('ingested usage', () => {
  it('is in the log in the order of the request, with every digit', async () => {
    const { accepted, rejected, repeated } = await send(
      event({ timestamp: '2026-03-10T11:00:00.123456Z', properties: { n: 0.1, big: 12 } }),
      event({ customerId: 'nobody' }),
      keyed('k'),
    );
    expect({ rejected, repeated }).toMatchObject({
      rejected: [{ index: 1, code: 'customer_not_found' }],
      repeated: 0,
    });
    const more = { customer_id: 'cust_a', source: 'api_key:key_1' };
    expect(await logged()).toEqual([
      {
        ...more,
        id: accepted[0],
        timestamp: '2026-03-10T11:00:00.123456Z',
        idempotency_key: null,
        properties: '{"n": 0.1, "big": 12}',
      },
      { ...more, id: accepted[1], timestamp: NOW, idempotency_key: 'k', properties: '{}' },
    ]);
  });

  it('can have any text as name and key', async () => {
    const name = `a "quoted" {braced}, back\\slashed 'name' — NULL`;
    const { accepted } = await send({
      customerId: 'NULL',
      eventName: name,
      idempotencyKey: name,
      properties: { [name]: name },
    });
    expect(await logged()).toEqual([
      expect.objectContaining({ id: accepted[0], customer_id: 'NULL', idempotency_key: name }),
    ]);
  });

  it('creates the month’s partition if there is none', async () => {
    await send(event());
    const { rows } = await usage.pool.query<{ name: string }>(
      `SELECT 'usage.events_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM') AS name`,
    );
    await usage.pool.query(`DROP TABLE ${rows[0]!.name}`);
    const { accepted } = await send(event(), event());
    expect((await logged()).map(({ id }) => id)).toEqual(accepted);
  });
});

describe('one idempotency key', () => {
  it('is told if it is used again with another customer, name or value, and not if the event is the same', async () => {
    const value = { ...keyed('k'), properties: { n: 1 } };
    const first = await send(value, value, event());
    expect(first.reusedKeys).toEqual({ count: 0, warnings: [] });
    expect((await send(value)).reusedKeys.count).toBe(0);
    const others = [
      { ...value, properties: { n: 2 } },
      { ...value, eventName: 'other' },
      { ...value, properties: {} },
    ];
    const { accepted, reusedKeys, repeated } = await send(...others, { ...value });
    expect({ accepted, repeated }).toEqual({ accepted: Array(4).fill(first.accepted[0]), repeated: 4 });
    expect(reusedKeys).toMatchObject({
      count: 3,
      warnings: [
        { code: 'key_reused_with_other_content', count: 2, eventIds: [first.accepted[0], first.accepted[0]] },
        { code: 'key_reused_with_other_content', eventName: 'other', count: 1 },
      ],
    });
    // Within one request too.
    expect((await send(keyed('l'), { ...keyed('l'), properties: { n: 2 } })).reusedKeys.count).toBe(1);
  });

  it('counts once within a request, between requests and between processes', async () => {
    const first = await send(keyed('k'), event(), keyed('k'));
    const [id] = first.accepted;
    expect(first).toMatchObject({ accepted: [id, expect.any(String), id], repeated: 1 });
    const restarted = usageProcess(world.database.url);
    const again = await restarted.ingest.ingest(workspaceId, [event(), keyed('k')], 'api_key:key_2');
    await restarted.stop();
    expect(again).toMatchObject({ accepted: [expect.any(String), id], repeated: 1 });
    expect(await logged()).toHaveLength(3);
  });

  // Keys are inserted in the order of their digests. If two are equal, the later one could win without special care.
  it('belongs to the first of any number of events of a request with this key', async () => {
    const events = Array.from({ length: 40 }, (_, n) =>
      event({ idempotencyKey: `k${n % 2}`, properties: { n } }),
    );
    await send(...events);
    expect((await logged()).map(({ properties }) => properties)).toEqual(['{"n": 0}', '{"n": 1}']);
  });

  it('waits for a writer with the same key, and returns the id that it committed', async () => {
    const release = await holdingKey('k');
    const sent = send(keyed('k'), keyed('other'));
    await untilWaiting(usage.pool, 1);
    await release('COMMIT');
    expect(await sent).toMatchObject({ accepted: ['use_first', expect.any(String)], repeated: 1 });
    expect((await logged()).filter(({ idempotency_key }) => idempotency_key === 'k')).toHaveLength(1);
  });

  it('can be used again if the writer with this key rolls back', async () => {
    const release = await holdingKey('k');
    const sent = send(keyed('k'));
    await untilWaiting(usage.pool, 1);
    await release('ROLLBACK');
    const { accepted, repeated } = await sent;
    expect(repeated).toBe(0);
    expect((await logged()).map(({ id }) => id)).toContain(accepted[0]);
  });

  it('counts once when two processes send the same keys at the same time, in opposite orders', async () => {
    const other = usageProcess(world.database.url);
    const keys = Array.from({ length: 400 }, (_, i) => `k${i}`);
    const chunks = (all: string[]): string[][] =>
      Array.from({ length: 20 }, (_, i) => all.slice(i * 20, i * 20 + 20));
    const ids = new Map<string, Set<string>>();
    const sendAll = async (process: UsageProcess, order: string[]): Promise<void> => {
      await Promise.all(
        chunks(order).map(async (chunk) => {
          const { accepted } = await process.ingest.ingest(workspaceId, chunk.map(keyed), 'test');
          chunk.forEach((key, i) => ids.set(key, (ids.get(key) ?? new Set()).add(accepted[i]!)));
        }),
      );
    };
    await Promise.all([sendAll(usage, keys), sendAll(other, [...keys].reverse()), sendAll(other, keys)]);
    await other.stop();
    expect([...ids.values()].every((one) => one.size === 1)).toBe(true);
    expect((await logged()).map(({ id }) => id).sort()).toEqual(
      [...ids.values()].flatMap((one) => [...one]).sort(),
    );
  });
});

describe('a group of requests', () => {
  /** Collects requests while every commit waits for a lock, and then lets them continue together. */
  async function together<T>(requests: () => Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
    await send(event());
    const release = await holding(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const busy = Array.from({ length: MAX_COMMITS_IN_FLIGHT }, () => send(event()));
    await untilWaiting(usage.pool, MAX_COMMITS_IN_FLIGHT);
    const gathered = requests();
    await release('COMMIT');
    await Promise.all(busy);
    return Promise.allSettled(gathered);
  }

  /** These rows are appended in the same turn. For an event, the clock would be read first. */
  const row = (properties: string) => ({
    workspaceId,
    customerId: 'cust_a',
    eventName: 'call',
    timestamp: '2026-03-10T12:00:00.000000Z',
    id: `use_${properties.length}`,
    idempotencyKey: undefined,
    properties,
    source: 'api_key:key_1',
  });

  it('shares a commit', async () => {
    const results = await together(() => Array.from({ length: 30 }, () => usage.log.append([row('{}')])));
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    const { rows } = await usage.pool.query<{ commits: string }>(
      // Does not count the times, because two commits that continue together can have the same microsecond.
      `SELECT count(DISTINCT e.xmin::text) AS commits
       FROM usage.events e JOIN usage.streams t ON t.id = e.stream_id WHERE t.workspace_id = $1`,
      [workspaceId],
    );
    // One commit to learn the names, those that blocked the others, and one for all thirty requests.
    expect(Number(rows[0]!.commits)).toBe(1 + MAX_COMMITS_IN_FLIGHT + 1);
    expect(await logged()).toHaveLength(1 + MAX_COMMITS_IN_FLIGHT + 30);
  });

  it('does not fail because of the data of one request', async () => {
    const [good, bad, alsoGood] = await together(() => [
      usage.log.append([row('{}')]),
      usage.log.append([row('{"nul":"\\u0000"}')]),
      usage.log.append([row('{"a":1}')]),
    ]);
    expect([good!.status, bad!.status, alsoGood!.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await logged()).map(({ id }) => id)).toEqual(expect.arrayContaining(['use_2', 'use_7']));
  });

  it('that loses its connection is answered as failed, and counts once when it is sent again', async () => {
    await send(event());
    const release = await holding(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const sent = send(keyed('k')).catch((error: Error) => error);
    await untilWaiting(usage.pool, 1);
    await usage.pool.query(
      `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE a.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`,
    );
    expect(await sent).toMatchObject({ status: 503, code: 'usage_unavailable' });
    await release('COMMIT');
    const { accepted } = await send(keyed('k'));
    expect((await logged()).filter(({ idempotency_key }) => idempotency_key === 'k')).toEqual([
      expect.objectContaining({ id: accepted[0] }),
    ]);
  });
});

describe('the head of the log', () => {
  it('waits for running appends, so that the log before it never changes', async () => {
    const release = await holdingKey('early');
    let head: string | undefined;
    const read = usage.head.read().then((value) => (head = value));
    await untilWaiting(usage.pool, 1);
    expect(head).toBeUndefined();
    await release('COMMIT');
    await read;
    const { rows } = await usage.pool.query<{ seq: string }>('SELECT max(seq) AS seq FROM usage.events');
    expect(head).toBe(rows[0]!.seq);
  });
});
