import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { END, StreamDeletedError } from '@eventstore/db-client';
import { follow, type Followed } from './follow.js';
import { newStream, numbered, openStore, range, type StoreUnderTest } from './support.js';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const append = (stream: string, count: number, first = 0): Promise<unknown> =>
  store.client.appendToStream(stream, numbered(count, first));

const followStream = (
  stream: string,
  options?: Parameters<StoreUnderTest['client']['subscribeToStream']>[1],
): Followed => follow(store.client.subscribeToStream(stream, options));

describe('a subscription to a stream', () => {
  it('yields what was there, says that it has caught up, and goes on with what comes', async () => {
    const [stream, other] = [newStream(), newStream()];
    await append(stream, 3);
    await append(other, 3, 100);
    const followed = followStream(stream);
    await followed.caughtUp();
    expect(followed.numbers()).toEqual([0, 1, 2]);
    await append(other, 3, 200);
    await append(stream, 2, 3);
    await followed.until(() => followed.events.length === 5);
    expect(followed.numbers()).toEqual(range(5));
    await followed.stop();
  });

  it('from a revision leaves out the event there', async () => {
    const stream = newStream();
    await append(stream, 5);
    const followed = followStream(stream, { fromRevision: 2n });
    await followed.caughtUp();
    expect(followed.numbers()).toEqual([3, 4]);
    await followed.stop();
  });

  it('from the end yields only what comes', async () => {
    const stream = newStream();
    await append(stream, 5);
    const followed = followStream(stream, { fromRevision: END });
    await followed.confirmed();
    await append(stream, 2, 5);
    await followed.until(() => followed.events.length === 2);
    expect(followed.numbers()).toEqual([5, 6]);
    await followed.stop();
  });

  it('waits for a stream that is not there yet', async () => {
    const stream = newStream();
    const followed = followStream(stream);
    await followed.confirmed();
    await append(stream, 2);
    await followed.until(() => followed.events.length === 2);
    expect(followed.numbers()).toEqual([0, 1]);
    await followed.stop();
  });

  it('from a revision that is yet to come yields only what follows it', async () => {
    const stream = newStream();
    await append(stream, 2);
    const followed = followStream(stream, { fromRevision: 3n });
    await followed.caughtUp();
    await append(stream, 4, 2);
    await followed.until(() => followed.events.length === 2);
    expect(followed.numbers()).toEqual([4, 5]);
    await followed.stop();
  });

  it('of a stream that was deleted for ever fails', async () => {
    const stream = newStream();
    await append(stream, 1);
    await store.client.tombstoneStream(stream);
    const followed = followStream(stream);
    await expect(followed.failure()).resolves.toBeInstanceOf(StreamDeletedError);
  });

  it('sees a soft-deleted stream come back', async () => {
    const stream = newStream();
    await append(stream, 3);
    await store.client.deleteStream(stream);
    const followed = followStream(stream);
    await followed.confirmed();
    expect(followed.events).toEqual([]);
    await append(stream, 1, 3);
    await followed.until(() => followed.events.length === 1);
    expect(followed.events[0]?.event?.revision).toBe(3n);
    await followed.stop();
  });
});
