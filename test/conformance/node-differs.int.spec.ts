import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ANY,
  END,
  EventStoreDBClient,
  MaxAppendSizeExceededError,
  NO_STREAM,
  binaryEvent,
  streamNameFilter,
} from '@eventstore/db-client';
import { startEventStoreNode, type EventStoreNode } from '#apps/eventstore';
import { createMigratedDatabase, type TestDatabase } from '../support/index.js';
import { follow } from './follow.js';
import { collect, collectAll, newStream, numbered, numbersOf, range } from './support.js';

// Where the node answers otherwise than EventStoreDB 23.10: docs/event-store.md has both.

let database: TestDatabase;
let node: EventStoreNode;
let client: EventStoreDBClient;

beforeAll(async () => {
  database = await createMigratedDatabase();
  node = await startEventStoreNode({ databaseUrl: database.url, port: 0 });
  client = EventStoreDBClient.connectionString(node.url);
});
afterAll(async () => {
  await client.dispose();
  await node.close();
  await database.drop();
});

describe('an append', () => {
  it('that is repeated while the first is being written is answered as that one', async () => {
    const stream = newStream();
    const events = numbered(2);
    const results = await Promise.all(
      range(50).map((n) =>
        client.appendToStream(stream, events, { expectedRevision: n % 2 === 0 ? ANY : NO_STREAM }),
      ),
    );
    expect(new Set(results.map(({ position }) => position?.commit)).size).toBe(1);
    expect(results.every(({ nextExpectedRevision }) => nextExpectedRevision === 1n)).toBe(true);
  });

  it('that undoes a soft delete shows in the next read', async () => {
    const stream = newStream();
    for (const n of range(20)) {
      await client.appendToStream(stream, numbered(1, n));
      expect(numbersOf(await collect(client.readStream(stream)))).toEqual([n]);
      await client.deleteStream(stream);
    }
  });

  it('is as large as its payloads, metadata and types together', async () => {
    const mebibyte = 1024 * 1024;
    const of = (payload: number, metadata: number) =>
      binaryEvent({ type: 'Blob', data: Buffer.alloc(payload), metadata: Buffer.alloc(metadata) });
    const attempt = (...events: ReturnType<typeof of>[]): Promise<unknown> =>
      client.appendToStream(newStream(), events);
    await expect(attempt(of(mebibyte - 8, 0))).resolves.toMatchObject({ success: true });
    for (const tooLarge of [of(mebibyte - 7, 0), of(mebibyte / 2, mebibyte / 2)])
      await expect(attempt(tooLarge)).rejects.toBeInstanceOf(MaxAppendSizeExceededError);
  });
});

describe('a read', () => {
  it('of a stream from its end on is empty', async () => {
    const stream = newStream();
    await client.appendToStream(stream, numbered(3));
    expect(await collect(client.readStream(stream, { fromRevision: END }))).toEqual([]);
  });

  it('of $all refuses a position that the log has not come to', async () => {
    const beyond = { commit: 1n << 60n, prepare: 1n << 60n };
    await expect(collectAll(client.readAll({ fromPosition: beyond }))).rejects.toMatchObject({ code: 3 });
  });
});

describe('a subscription', () => {
  it('to a stream that is not there, or no more, says at once that it has caught up', async () => {
    const [absent, deleted] = [newStream(), newStream()];
    await client.appendToStream(deleted, numbered(3));
    await client.deleteStream(deleted);
    for (const stream of [absent, deleted]) {
      const followed = follow(client.subscribeToStream(stream));
      await followed.caughtUp();
      expect(followed.events).toEqual([]);
      await followed.stop();
    }
  });

  it('with a filter tells on going live how far it has looked', async () => {
    const { position } = await client.appendToStream(newStream(), numbered(300));
    let last = 0n;
    const followed = follow(
      client.subscribeToAll({
        filter: streamNameFilter({
          prefixes: ['no-stream-is-called-so'],
          maxSearchWindow: 10,
          checkpointInterval: 2,
          checkpointReached: (_, { commit }) => {
            last = commit;
            followed.changed();
          },
        }),
      }),
    );
    await followed.until(() => last >= (position?.commit ?? 0n));
    await followed.stop();
  });

  it.each([{ kind: '$all' }, { kind: 'one stream' }])(
    'to $kind whose reader is slow goes on',
    async ({ kind }) => {
      const stream = newStream('slow');
      const total = 14_000;
      const followed = follow(
        kind === '$all'
          ? client.subscribeToAll({ filter: streamNameFilter({ prefixes: [stream] }) })
          : client.subscribeToStream(stream),
      );
      await followed.caughtUp();
      followed.pause();
      for (let first = 0; first < total; first += 700)
        await client.appendToStream(stream, numbered(700, first));
      followed.resume();
      await followed.until(() => followed.events.length >= total);
      expect(followed.numbers()).toEqual(range(total));
      expect(followed.caughtUpCount).toBe(1);
      await followed.stop();
    },
  );
});
