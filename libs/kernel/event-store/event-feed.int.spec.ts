import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { pino } from 'pino';
import {
  createMigratedDatabase,
  startEventStore,
  type TestDatabase,
  type TestEventStore,
} from '../../../test/support/index.js';
import { EventVocabulary } from '#libs/kernel/domain';
import { EventCodec, EventFeed, noPersonalDataKeys } from './index.js';

let database: TestDatabase;
let store: TestEventStore;
let client: EventStoreDBClient;

beforeAll(async () => {
  database = await createMigratedDatabase();
  store = await startEventStore(database.url);
  client = EventStoreDBClient.connectionString(store.url);
});
afterAll(async () => {
  await client?.dispose();
  await store?.close();
  await database?.drop();
});

const feed = (write?: (line: string) => void) =>
  new EventFeed(client, new EventCodec(noPersonalDataKeys, new EventVocabulary([])), {
    ...(write && { logger: pino({ level: 'warn' }, { write }) }),
  });

/** Appends events whose payloads count up from `first`, and resolves to the position of the last. */
async function append(count: number, first = 0): Promise<bigint> {
  const events = Array.from({ length: count }, (_, i) =>
    jsonEvent({ type: 'Counted', data: { n: first + i } }),
  );
  const { position } = await client.appendToStream('counted', events);
  return position!.commit;
}

describe('a reader that follows the log', () => {
  it('loses no event when it is slow, even if the store ends its subscription', async () => {
    const total = 20_000;
    const over = new AbortController();
    const read: number[] = [];
    await append(1);
    for await (const { events } of feed().batches(undefined, 1_000, over.signal)) {
      if (read.length === 0) for (let n = 1; n < total; n += 999) await append(Math.min(999, total - n), n);
      read.push(...events.map(({ data }) => (data as { n: number }).n));
      if (read.length >= total) over.abort();
    }
    expect(read).toEqual(Array.from({ length: total }, (_, n) => n));
  });
});

describe('a reader that has read further than the log goes', () => {
  it.each(['follow', 'history'])('reports it at every attempt (%s)', async (kind) => {
    const lines: string[] = [];
    const twice = Promise.withResolvers<void>();
    const over = new AbortController();
    const beyond = (await append(1)) + 1_000_000n;
    const one = feed((line) => {
      if (lines.push(line) === 2) twice.resolve();
    });
    const reading =
      kind === 'follow' ? one.batches(beyond, 10, over.signal) : one.history(beyond, 10, over.signal);
    const next = reading.next();
    await twice.promise;
    over.abort();
    expect(await next).toMatchObject({ done: true });
    expect(lines.join('')).toContain(`before ${beyond}, up to which it was read`);
  });
});
