import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { START, streamNameFilter } from '@eventstore/db-client';
import { followOn, type Followed } from './follow.js';
import { newStream, numbered, openStore, range, type StoreUnderTest } from './support.js';

const TOTAL = 10_000;
const STREAMS = 20;
const BATCH = 25;

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

/** Writes numbers from `from` up to `to` over twenty streams, several batches at a time. */
async function write(prefix: string, from: number, to: number): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const first = next;
      next += BATCH;
      const stream = `${prefix}-${(first / BATCH) % STREAMS}`;
      await store.client.appendToStream(stream, numbered(Math.min(BATCH, to - first), first));
    }
  };
  await Promise.all(range(8).map(worker));
}

/** Every event once, the positions growing, and each stream's revisions without a gap. */
function expectComplete(followed: Followed): void {
  expect(followed.numbers().toSorted((a, b) => a - b)).toEqual(range(TOTAL));
  const next = new Map<string, bigint>();
  let last = 0n;
  const outOfPlace = followed.events.filter(({ event }) => {
    const stream = event?.streamId ?? '';
    const position = event?.position?.commit ?? 0n;
    const inPlace = position > last && event?.revision === (next.get(stream) ?? 0n);
    last = position;
    next.set(stream, (event?.revision ?? 0n) + 1n);
    return !inPlace;
  });
  expect(outOfPlace).toEqual([]);
}

const followAll = (prefix: string): Followed =>
  followOn((last) =>
    store.client.subscribeToAll({
      filter: streamNameFilter({ prefixes: [prefix] }),
      fromPosition: last?.position ?? START,
    }),
  );

const followStream = (stream: string): Followed =>
  followOn((last) => store.client.subscribeToStream(stream, { fromRevision: last?.revision ?? START }));

/** A subscription says so once, and one that the store ended may not have come to that. */
function expectCaughtUp({ caughtUpCount, endedCount }: Followed): void {
  expect(caughtUpCount).toBeGreaterThanOrEqual(1);
  expect(caughtUpCount).toBeLessThanOrEqual(1 + endedCount);
}

describe('while ten thousand events are being written', () => {
  it('subscriptions to $all that begin at any time get every event once and in order', async () => {
    const prefix = newStream('catchup');
    const subscribe = (): Followed => followAll(prefix);
    const early = subscribe();
    const writing = write(prefix, 0, TOTAL);
    await early.until(() => early.events.length > TOTAL / 3);
    const late = subscribe();
    await early.until(() => early.events.length > (2 * TOTAL) / 3);
    const later = subscribe();
    const all = [early, late, later];
    await Promise.all([writing, ...all.map((one) => one.until(() => one.events.length >= TOTAL))]);
    for (const one of all) {
      await one.caughtUp();
      expectComplete(one);
      expectCaughtUp(one);
      await one.stop();
    }
  });

  it('subscriptions to one stream do too', async () => {
    const stream = newStream('catchup');
    const early = followStream(stream);
    const writing = (async () => {
      for (let first = 0; first < TOTAL; first += 100)
        await store.client.appendToStream(stream, numbered(100, first));
    })();
    await early.until(() => early.events.length > TOTAL / 2);
    const late = followStream(stream);
    await Promise.all([
      writing,
      early.until(() => early.events.length >= TOTAL),
      late.until(() => late.events.length >= TOTAL),
    ]);
    for (const one of [early, late]) {
      expect(one.numbers()).toEqual(range(TOTAL));
      await one.stop();
    }
  });
});

describe('a subscriber that is slow', () => {
  it.each([{ kind: '$all' }, { kind: 'one stream' }])('to $kind loses nothing', async ({ kind }) => {
    const stream = newStream('slow');
    // Much more than the client, the wire and a server's buffer hold between them.
    const total = 14_000;
    const followed = kind === '$all' ? followAll(stream) : followStream(stream);
    await followed.confirmed();
    await store.client.appendToStream(stream, numbered(10));
    await followed.until(() => followed.events.length === 10);
    followed.pause();
    for (let first = 10; first < total; first += 700)
      await store.client.appendToStream(stream, numbered(Math.min(700, total - first), first));
    expect(followed.events.length).toBeLessThan(total - 10_000);
    followed.resume();
    await followed.until(() => followed.events.length >= total);
    expect(followed.numbers()).toEqual(range(total));
    expectCaughtUp(followed);
    await followed.stop();
  });
});
