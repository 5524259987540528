import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ANY,
  DeadlineExceededError,
  EventStoreDBClient,
  NO_STREAM,
  STREAM_EXISTS,
  TimeoutError,
  UnknownError,
  eventTypeFilter,
  jsonEvent,
  persistentSubscriptionToStreamSettingsFromDefaults,
  type AppendExpectedRevision,
  type AppendResult,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { pino } from 'pino';
import { startEventStoreNode, type EventStoreNode } from '#apps/eventstore';
import { systemClock, type Clock } from '#libs/kernel/system';
import { createMigratedDatabase, type TestDatabase } from '../support/index.js';
import { collect, newStream, numbered, numbersOf, range } from './support.js';

type Events = ReturnType<typeof numbered>;

let database: TestDatabase;
let admin: pg.Client;
let node: EventStoreNode;
let client: EventStoreDBClient;

/** The node's log. */
const lines: string[] = [];

async function start(clock: Clock = systemClock): Promise<void> {
  const logger = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  node = await startEventStoreNode({ databaseUrl: database.url, port: 0, clock, logger });
  client = EventStoreDBClient.connectionString(node.url);
}
async function restart(clock?: Clock): Promise<void> {
  await client.dispose();
  await node.close();
  await start(clock);
}

beforeAll(async () => {
  database = await createMigratedDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await start();
});
afterAll(async () => {
  await client.dispose();
  await node.close();
  await admin.end();
  await database.drop();
});

describe('an append that is repeated', () => {
  it('is recognised at every expected revision after a restart and much else', async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxCount: 1_000 });
    const written: { expected: AppendExpectedRevision; events: Events; result: AppendResult }[] = [];
    for (const [index, expected] of ([NO_STREAM, 1n, ANY, STREAM_EXISTS] as const).entries()) {
      const events = numbered(2, 2 * index);
      const result = await client.appendToStream(stream, events, { expectedRevision: expected });
      written.push({ expected, events, result });
    }
    await Promise.all(range(200).map((n) => client.appendToStream(newStream(), numbered(5, n))));
    await restart();
    for (const { expected, events, result } of written)
      expect(await client.appendToStream(stream, events, { expectedRevision: expected })).toEqual(result);
    expect(numbersOf(await collect(client.readStream(stream)))).toEqual(range(8));
  });

  it('at the current revision finds the first one, too', async () => {
    const stream = newStream();
    const events = numbered(2);
    const first = await client.appendToStream(stream, events);
    expect(await client.appendToStream(stream, events, { expectedRevision: 1n })).toEqual(first);
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });

  it('in a group with others leaves them alone', async () => {
    const repeated = newStream();
    const events = numbered(2);
    const first = await client.appendToStream(repeated, events);
    const fresh = range(100).map(() => newStream());
    const results = await Promise.all(
      fresh.flatMap((stream, n) => [
        client.appendToStream(stream, numbered(1, n)),
        client.appendToStream(repeated, events),
      ]),
    );
    for (const [index, result] of results.entries())
      expect(result).toMatchObject(index % 2 === 1 ? first : { nextExpectedRevision: 0n });
  });
});

describe('a restart', () => {
  it('keeps heads, metadata, soft deletes and tombstones', async () => {
    const [kept, limited, deleted, tombstoned] = range(4).map(() => newStream()) as [
      string,
      string,
      string,
      string,
    ];
    for (const stream of [kept, limited, deleted, tombstoned])
      await client.appendToStream(stream, numbered(4));
    await client.setStreamMetadata(limited, { maxCount: 2 });
    await client.deleteStream(deleted);
    await client.tombstoneStream(tombstoned);
    await restart();
    await expect(
      client.appendToStream(kept, numbered(1, 4), { expectedRevision: 3n }),
    ).resolves.toMatchObject({ nextExpectedRevision: 4n });
    expect(numbersOf(await collect(client.readStream(limited)))).toEqual([2, 3]);
    await expect(collect(client.readStream(deleted))).rejects.toMatchObject({ type: 'stream-not-found' });
    await expect(
      client.appendToStream(deleted, numbered(1, 4), { expectedRevision: NO_STREAM }),
    ).resolves.toMatchObject({ nextExpectedRevision: 4n });
    await expect(client.appendToStream(tombstoned, numbered(1))).rejects.toMatchObject({
      type: 'stream-deleted',
    });
  });
});

describe('$maxAge', () => {
  it('hides events as time passes, both ways', async () => {
    // Behind the machine's clock, so that the deadlines that the client sends are never over.
    let now = systemClock.nowMillis() - 3_600_000;
    await restart({ nowMillis: () => now, now: () => new Date(now).toISOString() });
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxAge: 60 });
    await client.appendToStream(stream, numbered(2));
    now += 40_000;
    await client.appendToStream(stream, numbered(2, 2));
    const read = async (): Promise<number[]> => numbersOf(await collect(client.readStream(stream)));
    expect(await read()).toEqual([0, 1, 2, 3]);
    now += 40_000;
    expect(await read()).toEqual([2, 3]);
    const backwards = client.readStream(stream, { direction: 'backwards', fromRevision: 'end' });
    expect(numbersOf(await collect(backwards))).toEqual([3, 2]);
    now += 40_000;
    expect(await read()).toEqual([]);
    await expect(
      client.appendToStream(stream, numbered(1, 4), { expectedRevision: 3n }),
    ).resolves.toMatchObject({ nextExpectedRevision: 4n });
    await restart();
  });
});

describe('while Postgres holds up the commit', () => {
  it('a deadline is answered in time, and the append can be repeated safely', async () => {
    const stream = newStream();
    await client.appendToStream(newStream(), numbered(1));
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE eventstore.events IN EXCLUSIVE MODE');
    const events = numbered(2);
    await expect(client.appendToStream(stream, events, { deadline: 300 })).rejects.toBeInstanceOf(
      DeadlineExceededError,
    );
    await admin.query('COMMIT');
    await expect(client.appendToStream(stream, events)).resolves.toMatchObject({ nextExpectedRevision: 1n });
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });

  it('a call with credentials of its own is told that it timed out, as is a delete', async () => {
    const credentials = { username: 'admin', password: 'changeit' };
    const deleted = newStream();
    await client.appendToStream(deleted, numbered(1));
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE eventstore.events IN EXCLUSIVE MODE');
    const answers = await Promise.allSettled([
      client.appendToStream(newStream(), numbered(1), { credentials }),
      client.deleteStream(deleted),
      client.tombstoneStream(newStream()),
    ]);
    await admin.query('COMMIT');
    for (const answer of answers) expect(answer).toMatchObject({ reason: expect.any(TimeoutError) });
  });

  it('appends gather and are committed as one group', async () => {
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE eventstore.events IN EXCLUSIVE MODE');
    const first = client.appendToStream(newStream(), numbered(1));
    await writerWaits();
    const rest = range(50).map(() => client.appendToStream(newStream(), numbered(1)));
    await admin.query('COMMIT');
    await Promise.all([first, ...rest]);
    // Rows that one transaction wrote have one xmin.
    const { rows } = await admin.query<{ count: number }>(
      'SELECT count(*)::int FROM eventstore.events GROUP BY xmin ORDER BY 1 DESC LIMIT 1',
    );
    expect(rows[0]?.count).toBeGreaterThanOrEqual(25);
  });
});

/** Resolves when the node's commit waits for the lock that the test holds. */
async function writerWaits(): Promise<void> {
  for (;;) {
    const { rowCount } = await admin.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'eventstore writer'
       AND datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rowCount === 1) return;
  }
}

describe('what the node does not do', () => {
  it.each([
    { path: 'BatchAppend', options: {} },
    { path: 'Append', options: { credentials: { username: 'admin', password: 'changeit' } } },
  ])('one id twice in an append by $path is refused, and says so', async ({ options }) => {
    const stream = newStream();
    const twice = jsonEvent({ id: randomUUID(), type: 'Counted', data: { n: 0 } });
    const error = await client
      .appendToStream(stream, [twice, twice], options)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownError);
    expect((error as Error).message).toContain(`The event id ${twice.id} appears twice in one append`);
    await expect(collect(client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
  });

  it.each([
    ['(?i)order', '"(?" at character 1 is not supported'],
    ['[b-a]', 'is not valid'],
  ])('the expression %s in a filter is refused, and says so', async (regex, reason) => {
    const subscription = client.subscribeToAll({ filter: eventTypeFilter({ regex }) });
    const failed = once(subscription, 'error');
    subscription.resume();
    expect(await failed).toMatchObject([{ message: expect.stringContaining(reason) }]);
  });

  it.each<{ name: string; call: () => Promise<unknown> }>([
    {
      name: 'persistent subscriptions to a stream',
      call: () =>
        client.createPersistentSubscriptionToStream(
          newStream(),
          'group',
          persistentSubscriptionToStreamSettingsFromDefaults(),
        ),
    },
    {
      name: 'persistent subscriptions that are read',
      call: () => once(client.subscribeToPersistentSubscriptionToStream(newStream(), 'group'), 'data'),
    },
    { name: 'projections', call: () => client.createProjection('projection', 'fromAll()') },
  ])('$name are refused as not implemented', async ({ call }) => {
    await expect(call()).rejects.toMatchObject({ code: 12 });
  });
});

describe('a full disk', () => {
  beforeAll(() =>
    admin.query(
      `CREATE FUNCTION eventstore.no_room() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER no_room BEFORE INSERT ON eventstore.events EXECUTE FUNCTION eventstore.no_room()`,
    ),
  );
  afterAll(() => admin.query('DROP FUNCTION eventstore.no_room CASCADE'));

  it('is told in one line without a stack for each write that it refuses', async () => {
    lines.length = 0;
    await expect(client.appendToStream(newStream(), numbered(1))).rejects.toBeInstanceOf(UnknownError);
    const logged = lines.map((line) => JSON.parse(line) as object);
    expect(logged).toMatchObject([
      { msg: 'a write failed', error: 'No space left on device', code: '53100' },
    ]);
    expect(logged[0]).not.toHaveProperty('err');
  });
});

it('listens on loopback only', async () => {
  for (const host of ['0.0.0.0', '::', '192.168.0.1', 'example.com'])
    await expect(startEventStoreNode({ databaseUrl: database.url, port: 0, host })).rejects.toThrow(
      'listens on loopback only',
    );
});

it('says so when its port is taken', async () => {
  const other = await createMigratedDatabase();
  await expect(startEventStoreNode({ databaseUrl: other.url, port: node.port })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${node.port}`,
  );
  await other.drop();
});
