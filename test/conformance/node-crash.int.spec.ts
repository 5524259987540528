import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  DeadlineExceededError,
  EventStoreDBClient,
  type AppendResult,
  type RecordedEvent,
} from '@eventstore/db-client';
import { createMigratedDatabase, type TestDatabase } from '../support/index.js';
import { failingNodeProcess, startNodeProcess } from './node-process.js';
import { collect, collectAll, newStream, numbered, range } from './support.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createMigratedDatabase();
});
afterAll(() => database.drop());

it('a node that is killed while it writes loses nothing that it has acknowledged', async () => {
  const batches: { stream: string; events: ReturnType<typeof numbered> }[] = [];
  const first = await startNodeProcess(database.url);
  const client = EventStoreDBClient.connectionString(first.url);
  const acknowledged = new Map<string, AppendResult>();
  let killed: Promise<number | null> | undefined;

  // Each goes on until the node is gone, so that it is killed with writes in hand, however quick it is.
  const writers = range(32).map(async () => {
    for (;;) {
      const stream = newStream('crash');
      const events = numbered(3, 3 * batches.length);
      batches.push({ stream, events });
      acknowledged.set(stream, await client.appendToStream(stream, events));
      if (acknowledged.size === 100) killed = first.end('SIGKILL');
    }
  });
  await Promise.allSettled(writers);
  expect(await killed).toBeNull();
  expect(acknowledged.size).toBeGreaterThanOrEqual(100);
  expect(batches.length).toBeGreaterThan(acknowledged.size);
  await client.dispose();

  const second = await startNodeProcess(database.url);
  const again = EventStoreDBClient.connectionString(second.url);
  for (const [stream, result] of acknowledged) {
    const events = await collect(again.readStream(stream));
    expect(events.map(({ event }) => event?.revision)).toEqual([0n, 1n, 2n]);
    expect((events.at(-1)?.event as RecordedEvent).position).toEqual(result.position);
  }

  // What was not acknowledged may or may not be there; appended again, everything is there once.
  const results = await Promise.all(
    batches.map(({ stream, events }) => again.appendToStream(stream, events)),
  );
  for (const [index, { stream }] of batches.entries()) {
    const before = acknowledged.get(stream);
    if (before) expect(results[index]).toEqual(before);
  }
  const all = await collectAll(again.readAll());
  expect(all).toHaveLength(batches.length * 3);
  expect(all.map(({ event }) => event?.position?.commit)).toEqual(range(batches.length * 3, 1).map(BigInt));
  await again.dispose();

  expect(await second.end('SIGTERM')).toBe(0);
});

it('a second node on the same database ends with an entry of the log that says why', async () => {
  const first = await startNodeProcess(database.url);
  const { code, lines } = await failingNodeProcess(database.url);
  expect(code).toBe(1);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({
    level: 60,
    service: 'eventstore',
    msg: 'could not start',
    err: { message: expect.stringContaining('Another event store node is running on this database.') },
  });

  const client = EventStoreDBClient.connectionString(first.url);
  await expect(client.appendToStream(newStream(), numbered(1))).resolves.toMatchObject({ success: true });
  await client.dispose();
  expect(await first.end('SIGTERM')).toBe(0);
});

it('a node waits for no negative time when an append in several messages comes too late', async () => {
  const node = await startNodeProcess(database.url);
  const client = EventStoreDBClient.connectionString(node.url);
  const stream = newStream();
  await expect(
    client.appendToStream(stream, numbered(50), { deadline: -1_000, batchAppendSize: 100 }),
  ).rejects.toBeInstanceOf(DeadlineExceededError);
  await expect(collect(client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
  await client.dispose();
  expect(await node.end('SIGTERM')).toBe(0);
  expect(node.lines.filter((line) => line.includes('Warning'))).toEqual([]);
});
