import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ANY,
  AccessDeniedError,
  BACKWARDS,
  END,
  NO_STREAM,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  collect,
  collectAll,
  itDenies,
  newStream,
  numbered,
  numbersOf,
  openStore,
  range,
  type StoreUnderTest,
} from './support.js';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

async function streamOf(count: number): Promise<string> {
  const stream = newStream();
  await store.client.appendToStream(stream, numbered(count));
  return stream;
}
const read = (stream: string): Promise<number[]> => collect(store.client.readStream(stream)).then(numbersOf);

/** Waits until a stream is found again. In EventStoreDB this is some milliseconds after the append that undoes its soft delete. */
async function foundAgain(stream: string): Promise<void> {
  for (;;) {
    const error = await read(stream).catch((reason: unknown) => reason);
    if (!(error instanceof StreamNotFoundError)) return;
  }
}

describe('a soft delete', () => {
  it('hides the stream from reads', async () => {
    const stream = await streamOf(3);
    const { position } = await store.client.deleteStream(stream);
    expect(position?.commit).toBeGreaterThan(0n);
    await expect(read(stream)).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  it('is undone by an append, which goes on where the stream ended', async () => {
    const stream = await streamOf(3);
    await store.client.deleteStream(stream);
    const result = await store.client.appendToStream(stream, numbered(2, 3), { expectedRevision: NO_STREAM });
    expect(result.nextExpectedRevision).toBe(4n);
    await foundAgain(stream);
    const events = await collect(store.client.readStream(stream));
    expect(events.map(({ event }) => event?.revision)).toEqual([3n, 4n]);
    expect(numbersOf(events)).toEqual([3, 4]);
    const backwards = store.client.readStream(stream, { direction: BACKWARDS, fromRevision: END });
    expect(numbersOf(await collect(backwards))).toEqual([4, 3]);
  });

  it('can follow its undoing', async () => {
    const stream = await streamOf(1);
    for (let n = 1; n <= 3; n += 1) {
      await store.client.deleteStream(stream);
      await expect(read(stream)).rejects.toBeInstanceOf(StreamNotFoundError);
      await store.client.appendToStream(stream, numbered(1, n));
      await foundAgain(stream);
      expect(await read(stream)).toEqual([n]);
    }
  });

  it('is undone by new metadata, which shows none of the old events', async () => {
    const stream = await streamOf(3);
    await store.client.deleteStream(stream);
    await store.client.setStreamMetadata(stream, { maxCount: 10, owner: 'us' });
    const { metadata } = await store.client.getStreamMetadata(stream);
    expect(metadata).toMatchObject({ maxCount: 10, owner: 'us', truncateBefore: 3 });
    expect(await read(stream)).toEqual([]);
  });

  it('leaves the events in $all', async () => {
    const stream = await streamOf(3);
    await store.client.deleteStream(stream);
    const all = await collectAll(store.client.readAll());
    expect(all.filter(({ event }) => event?.streamId === stream)).toHaveLength(3);
  });

  it('checks the expected revision', async () => {
    const stream = await streamOf(3);
    const error = await store.client
      .deleteStream(stream, { expectedRevision: 1n })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({ streamName: stream, expectedVersion: 1n, actualVersion: 2n });
    await expect(store.client.deleteStream(stream, { expectedRevision: NO_STREAM })).rejects.toBeInstanceOf(
      WrongExpectedVersionError,
    );
    expect(await read(stream)).toEqual(range(3));
    await store.client.deleteStream(stream, { expectedRevision: 2n });
    await expect(read(stream)).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  it('of what is not there is refused', async () => {
    for (const expectedRevision of [ANY, NO_STREAM] as const)
      await expect(store.client.deleteStream(newStream(), { expectedRevision })).rejects.toBeInstanceOf(
        WrongExpectedVersionError,
      );
  });

  it('of a stream with metadata alone is accepted', async () => {
    const stream = newStream();
    await store.client.setStreamMetadata(stream, { maxCount: 3 });
    await expect(store.client.deleteStream(stream, { expectedRevision: NO_STREAM })).resolves.toBeDefined();
  });
});

describe('a tombstone', () => {
  it('ends the stream for ever', async () => {
    const stream = await streamOf(3);
    const { position } = await store.client.tombstoneStream(stream, { expectedRevision: 2n });
    expect(position?.commit).toBeGreaterThan(0n);
    const deleted = { streamName: stream };
    for (const attempt of [
      () => read(stream),
      () => store.client.appendToStream(stream, numbered(1)),
      () => store.client.deleteStream(stream),
      () => store.client.tombstoneStream(stream),
    ]) {
      const error = await attempt().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StreamDeletedError);
      expect(error).toMatchObject(deleted);
    }
  });

  it('takes a soft-deleted stream, and one that never was', async () => {
    const softDeleted = await streamOf(2);
    await store.client.deleteStream(softDeleted);
    const neverThere = newStream();
    for (const stream of [softDeleted, neverThere]) {
      await store.client.tombstoneStream(stream);
      await expect(store.client.appendToStream(stream, numbered(1))).rejects.toBeInstanceOf(
        StreamDeletedError,
      );
    }
  });

  it('checks the expected revision', async () => {
    const stream = await streamOf(3);
    const error = await store.client
      .tombstoneStream(stream, { expectedRevision: 0n })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({ streamName: stream, expectedVersion: 0n, actualVersion: 2n });
    expect(await read(stream)).toEqual(range(3));
  });

  it('is the last event of its stream in $all', async () => {
    const stream = await streamOf(2);
    await store.client.tombstoneStream(stream);
    const all = await collectAll(store.client.readAll());
    const events = all.filter(({ event }) => event?.streamId === stream);
    expect(events).toHaveLength(3);
    expect(events.at(-1)?.event).toMatchObject({ type: '$streamDeleted', revision: (1n << 63n) - 1n });
  });
});

itDenies('$all can be neither deleted nor tombstoned', async () => {
  await expect(store.client.deleteStream('$all')).rejects.toBeInstanceOf(AccessDeniedError);
  await expect(store.client.tombstoneStream('$all')).rejects.toBeInstanceOf(AccessDeniedError);
});
