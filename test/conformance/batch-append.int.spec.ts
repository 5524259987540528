import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DeadlineExceededError,
  EventStoreDBClient,
  NO_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
  jsonEvent,
} from '@eventstore/db-client';
import { collect, newStream, numbered, numbersOf, openStore, range, type StoreUnderTest } from './support.js';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

describe('appends in flight together', () => {
  it('are all answered, each with its own result', async () => {
    const streams = range(40).map(() => newStream());
    const results = await Promise.all(
      range(1_000).map((n) => {
        const stream = streams[n % streams.length] ?? '';
        return store.client.appendToStream(stream, numbered(1, n));
      }),
    );
    expect(new Set(results.map(({ position }) => position?.commit)).size).toBe(1_000);
    for (const [index, stream] of streams.entries()) {
      const events = await collect(store.client.readStream(stream));
      expect(events).toHaveLength(25);
      for (const { event } of events) {
        const { n } = event?.data as { n: number };
        expect(n % streams.length).toBe(index);
        expect(results[n]).toMatchObject({
          nextExpectedRevision: event?.revision,
          position: event?.position,
        });
      }
    }
  });

  it('that are refused fail alone', async () => {
    const tombstoned = newStream();
    await store.client.tombstoneStream(tombstoned);
    const taken = newStream();
    await store.client.appendToStream(taken, numbered(1));
    const outcomes = await Promise.allSettled(
      range(300).map((n) => {
        if (n % 3 === 0) return store.client.appendToStream(newStream(), numbered(2));
        if (n % 3 === 1) return store.client.appendToStream(tombstoned, numbered(1));
        return store.client.appendToStream(taken, numbered(1), { expectedRevision: NO_STREAM });
      }),
    );
    for (const [n, outcome] of outcomes.entries()) {
      if (n % 3 === 0) expect(outcome.status).toBe('fulfilled');
      else
        expect(outcome).toMatchObject({
          reason: expect.any(n % 3 === 1 ? StreamDeletedError : WrongExpectedVersionError),
        });
    }
  });

  it('for one revision succeed once', async () => {
    const stream = newStream();
    const outcomes = await Promise.allSettled(
      range(50).map((n) =>
        store.client.appendToStream(stream, numbered(1, n), { expectedRevision: NO_STREAM }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await collect(store.client.readStream(stream))).toHaveLength(1);
  });

  it('of several clients do not disturb each other', async () => {
    const other = EventStoreDBClient.connectionString(store.url);
    const results = await Promise.all(
      range(200).map((n) => (n % 2 === 0 ? store.client : other).appendToStream(newStream(), numbered(1, n))),
    );
    expect(results.every(({ success }) => success)).toBe(true);
    await other.dispose();
    await expect(store.client.appendToStream(newStream(), numbered(1))).resolves.toMatchObject({
      success: true,
    });
  });
});

it('a deadline that has passed is honoured, and nothing is written', async () => {
  const stream = newStream();
  const [late, fine] = await Promise.allSettled([
    store.client.appendToStream(stream, numbered(1), { deadline: -1_000 }),
    store.client.appendToStream(newStream(), numbered(1)),
  ]);
  expect(late).toMatchObject({ reason: expect.any(DeadlineExceededError) });
  expect(fine.status).toBe('fulfilled');
  await expect(collect(store.client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
});

it('an append in several messages is one append', async () => {
  const stream = newStream();
  const events = range(60).map((n) => jsonEvent({ type: 'Counted', data: { n, text: 'x'.repeat(10_000) } }));
  const result = await store.client.appendToStream(stream, events, {
    expectedRevision: NO_STREAM,
    batchAppendSize: 64 * 1024,
  });
  expect(result.nextExpectedRevision).toBe(59n);
  expect(numbersOf(await collect(store.client.readStream(stream)))).toEqual(range(60));
});

it('an append that is not acceptable is refused alone', async () => {
  const stream = newStream();
  const [bad, fine] = await Promise.allSettled([
    store.client.appendToStream(stream, jsonEvent({ id: 'not-a-uuid', type: 'Counted', data: { n: 0 } })),
    store.client.appendToStream(stream, numbered(1)),
  ]);
  expect(bad.status).toBe('rejected');
  expect(fine.status).toBe('fulfilled');
});
