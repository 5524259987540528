import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ANY,
  DeadlineExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  WrongExpectedVersionError,
  type AppendExpectedRevision,
} from '@eventstore/db-client';
import { collect, newStream, numbered, numbersOf, openStore, type StoreUnderTest } from './support.js';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const numbersIn = async (stream: string): Promise<number[]> =>
  numbersOf(await collect(store.client.readStream(stream)));

describe('an append that is repeated', () => {
  it.each<{ expected: AppendExpectedRevision }>([
    { expected: ANY },
    { expected: STREAM_EXISTS },
    { expected: NO_STREAM },
  ])('expecting $expected is answered as the first time and writes nothing', async ({ expected }) => {
    const stream = newStream();
    if (expected === STREAM_EXISTS) await store.client.setStreamMetadata(stream, { maxCount: 100 });
    const events = numbered(3);
    const first = await store.client.appendToStream(stream, events, { expectedRevision: expected });
    await store.client.appendToStream(stream, numbered(5, 3));
    const again = await store.client.appendToStream(stream, events, { expectedRevision: expected });
    expect(again).toEqual(first);
    expect(await numbersIn(stream)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('expecting an exact revision is answered as the first time and writes nothing', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, numbered(2));
    const events = numbered(2, 2);
    const first = await store.client.appendToStream(stream, events, { expectedRevision: 1n });
    await store.client.appendToStream(stream, numbered(2, 4));
    expect(await store.client.appendToStream(stream, events, { expectedRevision: 1n })).toEqual(first);
    expect(await numbersIn(stream)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('in part, from its beginning, is a repetition too', async () => {
    const stream = newStream();
    const events = numbered(4);
    await store.client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    const part = events.slice(0, 2);
    await expect(store.client.appendToStream(stream, part)).resolves.toMatchObject({
      nextExpectedRevision: 1n,
    });
    await expect(
      store.client.appendToStream(stream, part, { expectedRevision: NO_STREAM }),
    ).resolves.toMatchObject({ nextExpectedRevision: 1n });
    expect(await numbersIn(stream)).toEqual([0, 1, 2, 3]);
  });

  it('many times at once writes once', async () => {
    const stream = newStream();
    const events = numbered(2);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        store.client.appendToStream(stream, events, { expectedRevision: index % 2 === 0 ? ANY : NO_STREAM }),
      ),
    );
    // One that comes while the first is being written may be told that the time is over.
    const results = outcomes.flatMap((outcome) => {
      if (outcome.status === 'fulfilled') return [outcome.value];
      expect(outcome.reason).toBeInstanceOf(DeadlineExceededError);
      return [];
    });
    expect(new Set(results.map(({ position }) => position?.commit)).size).toBe(1);
    expect(results.every(({ nextExpectedRevision }) => nextExpectedRevision === 1n)).toBe(true);
    expect(await numbersIn(stream)).toEqual([0, 1]);
  });
});

describe('an append that repeats some events and brings others', () => {
  it.each<{ expected: AppendExpectedRevision }>([{ expected: ANY }, { expected: NO_STREAM }])(
    'expecting $expected is refused',
    async ({ expected }) => {
      const stream = newStream();
      const [known, ...rest] = numbered(3);
      if (!known) throw new Error('no event');
      await store.client.appendToStream(stream, [known, ...rest]);
      await expect(
        store.client.appendToStream(stream, [known, ...numbered(1, 9)], { expectedRevision: expected }),
      ).rejects.toBeInstanceOf(WrongExpectedVersionError);
      expect(await numbersIn(stream)).toEqual([0, 1, 2]);
    },
  );

  it('at a revision that the stream has passed is refused', async () => {
    const stream = newStream();
    const [first, second, third] = numbered(3);
    if (!first || !second || !third) throw new Error('no events');
    await store.client.appendToStream(stream, [first, second, third]);
    for (const events of [[second, ...numbered(1, 9)], [third, second], [third]])
      await expect(
        store.client.appendToStream(stream, events, { expectedRevision: 0n }),
      ).rejects.toBeInstanceOf(WrongExpectedVersionError);
  });
});

it('keeps the same id apart in different streams', async () => {
  const [one, other] = [newStream(), newStream()];
  const events = numbered(2);
  await store.client.appendToStream(one, events);
  const copied = await store.client.appendToStream(other, events, { expectedRevision: NO_STREAM });
  expect(copied.nextExpectedRevision).toBe(1n);
  expect(await numbersIn(other)).toEqual([0, 1]);
});
