import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BACKWARDS, END, WrongExpectedVersionError, type StreamMetadata } from '@eventstore/db-client';
import {
  collect,
  collectAll,
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

async function streamWith(metadata: StreamMetadata, count = 10): Promise<string> {
  const stream = newStream();
  await store.client.appendToStream(stream, numbered(count));
  await store.client.setStreamMetadata(stream, metadata);
  return stream;
}
const read = (stream: string, options = {}): Promise<number[]> =>
  collect(store.client.readStream(stream, options)).then(numbersOf);

describe('$maxCount', () => {
  it('shows the last events only, and moves with the stream', async () => {
    const stream = await streamWith({ maxCount: 3 });
    expect(await read(stream)).toEqual([7, 8, 9]);
    await store.client.appendToStream(stream, numbered(2, 10));
    expect(await read(stream)).toEqual([9, 10, 11]);
  });

  it('holds backwards and from a revision that it hides', async () => {
    const stream = await streamWith({ maxCount: 3 });
    expect(await read(stream, { direction: BACKWARDS, fromRevision: END })).toEqual([9, 8, 7]);
    expect(await read(stream, { direction: BACKWARDS, fromRevision: 8n })).toEqual([8, 7]);
    expect(await read(stream, { direction: BACKWARDS, fromRevision: 2n })).toEqual([]);
    expect(await read(stream, { fromRevision: 2n, maxCount: 2 })).toEqual([7, 8]);
  });
});

describe('$tb', () => {
  it('hides what is before it', async () => {
    const stream = await streamWith({ truncateBefore: 6 });
    expect(await read(stream)).toEqual([6, 7, 8, 9]);
    expect(await read(stream, { direction: BACKWARDS, fromRevision: END })).toEqual([9, 8, 7, 6]);
  });

  it('behind the end leaves a stream that is empty, not one that is missing', async () => {
    const stream = await streamWith({ truncateBefore: 10 });
    expect(await read(stream)).toEqual([]);
    await store.client.appendToStream(stream, numbered(1, 10), { expectedRevision: 9n });
    expect(await read(stream)).toEqual([10]);
  });

  it('and $maxCount hold together', async () => {
    expect(await read(await streamWith({ truncateBefore: 8, maxCount: 5 }))).toEqual([8, 9]);
    expect(await read(await streamWith({ truncateBefore: 2, maxCount: 5 }))).toEqual([5, 6, 7, 8, 9]);
  });
});

describe('$maxAge', () => {
  it('leaves what is young enough', async () => {
    expect(await read(await streamWith({ maxAge: 3_600 }))).toEqual(range(10));
  });
});

describe('stream metadata', () => {
  it('is read back, its own keys too', async () => {
    const stream = await streamWith({ maxCount: 3, maxAge: 100, truncateBefore: 2, owner: 'billing' });
    const { metadata, metastreamRevision } = await store.client.getStreamMetadata(stream);
    expect(metadata).toEqual({ maxCount: 3, maxAge: 100, truncateBefore: 2, owner: 'billing' });
    expect(metastreamRevision).toBeDefined();
  });

  it('checks the expected revision of the metadata stream', async () => {
    const stream = await streamWith({ maxCount: 3 });
    await store.client.setStreamMetadata(stream, { maxCount: 4 }, { expectedRevision: 0n });
    await expect(
      store.client.setStreamMetadata(stream, { maxCount: 5 }, { expectedRevision: 0n }),
    ).rejects.toBeInstanceOf(WrongExpectedVersionError);
    expect(await read(stream)).toEqual([6, 7, 8, 9]);
  });

  it('shows its last version only when its stream is read', async () => {
    const stream = await streamWith({ maxCount: 3 });
    await store.client.setStreamMetadata(stream, { maxCount: 4 });
    const events = await collect(store.client.readStream(`$$${stream}`));
    expect(events.map(({ event }) => [event?.revision, event?.type, event?.data])).toEqual([
      [1n, '$metadata', { $maxCount: 4 }],
    ]);
  });

  it('of a stream changes nothing in $all', async () => {
    const stream = await streamWith({ maxCount: 1, truncateBefore: 9 });
    const all = await collectAll(store.client.readAll());
    expect(all.filter(({ event }) => event?.streamId === stream)).toHaveLength(10);
  });
});
