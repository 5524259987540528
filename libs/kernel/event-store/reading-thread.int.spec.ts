import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import type pg from 'pg';
import type { RecordedEvent } from '#libs/kernel/domain';
import { EventVocabulary, v1 } from '#libs/kernel/domain';
import {
  createMigratedDatabase,
  createPool,
  startEventStore,
  type TestDatabase,
  type TestEventStore,
} from '../../../test/support/index.js';
import { EventCodec, EventFeed, PersonalDataVault, type FeedOptions } from './index.js';

/** More events than the thread reads ahead, including the events on their way to the reader. */
const EVENTS = 10_000;
const BATCH = 100;

let database: TestDatabase;
let node: TestEventStore;
let client: EventStoreDBClient;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  node = await startEventStore(database.url);
  client = EventStoreDBClient.connectionString(node.url);
  pool = createPool(database);
  const event = (n: number) =>
    jsonEvent({
      type: n % 3 === 0 ? 'Counted' : 'Noted',
      data: { n, text: `"ünïcödé" \u2028 ${n}`, amount: '0.1', list: [null, { deep: true }] },
      ...(n % 5 === 0 ? {} : { metadata: { workspaceId: 'acc_1', schemaVersion: 1 } }),
    });
  await client.appendToStream('binary', binaryEvent({ type: 'Foreign', data: Buffer.from([0, 1, 255]) }));
  for (let first = 0; first < EVENTS; first += 1_000)
    await client.appendToStream(
      `stream-${first % 7_000}`,
      Array.from({ length: 1_000 }, (_, i) => event(first + i)),
    );
});
afterAll(async () => {
  await client?.dispose();
  await pool?.end();
  await node?.close();
  await database?.drop();
});

const vocabulary = new EventVocabulary([{ category: 'stream', events: { Counted: v1, Noted: v1 } }]);
const feedWith = (options: FeedOptions) =>
  new EventFeed(client, new EventCodec(new PersonalDataVault(pool), vocabulary), options);

/** The folder in which Linux lists the threads of this process, with their names. */
const TASKS = '/proc/self/task';
const expectThreads = (count: number): void => {
  if (!existsSync(TASKS)) return;
  const names = readdirSync(TASKS).map((task) => readFileSync(`${TASKS}/${task}/comm`, 'utf8').trim());
  expect(names.filter((name) => name === 'reading the log')).toHaveLength(count);
};

/** Reads the whole history, and calls `between` after the first batch. */
async function historyOf(feed: EventFeed, between?: () => Promise<void>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const { events } of feed.history(undefined, BATCH, new AbortController().signal, true)) {
    if (all.length === 0) await between?.();
    all.push(...events);
  }
  return all;
}

describe('a thread that reads', () => {
  it('returns the same events as the client', async () => {
    const ofJson = (events: RecordedEvent[]) => events.filter(({ type }) => type !== 'Foreign');
    const inThread = await historyOf(feedWith({ url: node.url }), async () => expectThreads(1));
    const expected = await historyOf(feedWith({}), async () => expectThreads(0));
    expect(inThread).toHaveLength(EVENTS + 1);
    expect(ofJson(inThread)).toEqual(ofJson(expected));
    expect(inThread.map(({ position }) => position)).toEqual(expected.map(({ position }) => position));
  });

  it('continues after the event store was unavailable', async () => {
    const events = await historyOf(feedWith({ url: node.url }), () => node.restart());
    expect(events.map(({ position }) => position)).toEqual(
      [...new Set(events.map(({ position }) => position))].sort((a, b) => (a < b ? -1 : 1)),
    );
    expect(events).toHaveLength(EVENTS + 1);
  });

  it('ends when nobody reads any more', async () => {
    const stopped = historyOf(feedWith({ url: node.url }), async () => {
      expectThreads(1);
      throw new Error('enough');
    });
    await expect(stopped).rejects.toThrow('enough');
    expectThreads(0);
  });

  it('reports a permanent failure, and is not started again', async () => {
    await expect(historyOf(feedWith({ url: 'no such thing' }))).rejects.toThrow(/expected esdb:/);
    expectThreads(0);
  });
});
