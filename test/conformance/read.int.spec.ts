import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BACKWARDS,
  END,
  START,
  StreamNotFoundError,
  binaryEvent,
  jsonEvent,
  type AppendResult,
  type Position,
  type ReadStreamOptions,
} from '@eventstore/db-client';
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

describe('a read of a stream', () => {
  const stream = newStream();
  const read = (options: Parameters<StoreUnderTest['client']['readStream']>[1]): Promise<number[]> =>
    collect(store.client.readStream(stream, options)).then(numbersOf);
  beforeAll(() => store.client.appendToStream(stream, numbered(20)));

  it('yields all of it in order, each event with its revision', async () => {
    const events = await collect(store.client.readStream(stream));
    expect(numbersOf(events)).toEqual(range(20));
    expect(events.map(({ event }) => event?.revision)).toEqual(range(20).map(BigInt));
  });

  it('begins at a revision, which it includes, and stops after maxCount', async () => {
    expect(await read({ fromRevision: 5n, maxCount: 3 })).toEqual([5, 6, 7]);
    expect(await read({ fromRevision: 18n, maxCount: 10 })).toEqual([18, 19]);
    expect(await read({ fromRevision: START, maxCount: 1 })).toEqual([0]);
  });

  it('goes backwards from the end or from a revision, which it includes', async () => {
    expect(await read({ direction: BACKWARDS, fromRevision: END })).toEqual(range(20).reverse());
    expect(await read({ direction: BACKWARDS, fromRevision: END, maxCount: 1 })).toEqual([19]);
    expect(await read({ direction: BACKWARDS, fromRevision: 5n, maxCount: 3 })).toEqual([5, 4, 3]);
    expect(await read({ direction: BACKWARDS, fromRevision: 1n })).toEqual([1, 0]);
    expect(await read({ direction: BACKWARDS, fromRevision: START })).toEqual([0]);
  });

  it('is empty behind the end, and before it when going backwards from far behind it', async () => {
    expect(await read({ fromRevision: 20n })).toEqual([]);
    expect(await read({ direction: BACKWARDS, fromRevision: 1_000n, maxCount: 2 })).toEqual([19, 18]);
  });

  it('of one that is not there says so', async () => {
    const missing = newStream();
    const all: ReadStreamOptions[] = [{}, { direction: BACKWARDS, fromRevision: END }, { fromRevision: 7n }];
    for (const options of all)
      await expect(collect(store.client.readStream(missing, options))).rejects.toBeInstanceOf(
        StreamNotFoundError,
      );
  });

  it('of one with metadata alone says that it is not there', async () => {
    const bare = newStream();
    await store.client.setStreamMetadata(bare, { maxCount: 3 });
    await expect(collect(store.client.readStream(bare))).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  it('of thousands of events comes complete, both ways', async () => {
    const long = newStream();
    for (let first = 0; first < 5_000; first += 500)
      await store.client.appendToStream(long, numbered(500, first));
    expect(numbersOf(await collect(store.client.readStream(long)))).toEqual(range(5_000));
    const backwards = store.client.readStream(long, { direction: BACKWARDS, fromRevision: END });
    expect(numbersOf(await collect(backwards))).toEqual(range(5_000).reverse());
  });

  it('of events that are large keeps to maxCount and leaves none out', async () => {
    const large = newStream();
    for (let n = 0; n < 12; n += 1)
      await store.client.appendToStream(large, binaryEvent({ type: 'Blob', data: Buffer.alloc(900_000, n) }));
    const firstBytes = async (options: object): Promise<unknown[]> =>
      (await collect(store.client.readStream(large, options))).map(({ event }) => (event?.data as Buffer)[0]);
    expect(await firstBytes({})).toEqual(range(12));
    expect(await firstBytes({ maxCount: 9 })).toEqual(range(9));
    expect(await firstBytes({ direction: BACKWARDS, fromRevision: END, maxCount: 9 })).toEqual(
      range(9, 3).reverse(),
    );
  });
});

describe('a read of $all', () => {
  const streams = [newStream(), newStream()];
  const written: AppendResult[] = [];
  const ours = <T extends { event?: { streamId: string; revision: bigint } }>(events: T[]): string[] =>
    events
      .filter(({ event }) => event && streams.includes(event.streamId))
      .map(({ event }) => `${streams.indexOf(event?.streamId ?? '')}:${event?.revision}`);
  beforeAll(async () => {
    for (let n = 0; n < 3; n += 1)
      for (const stream of streams)
        written.push(await store.client.appendToStream(stream, numbered(2, 2 * n)));
  });
  const inOrder = ['0:0', '0:1', '1:0', '1:1', '0:2', '0:3', '1:2', '1:3', '0:4', '0:5', '1:4', '1:5'];

  it('yields every event in the order of the commits, with positions that only grow', async () => {
    const events = await collectAll(store.client.readAll());
    expect(ours(events)).toEqual(inOrder);
    const positions = events.map(({ event }) => event?.position?.commit ?? 0n);
    expect(positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0n))).toBe(
      true,
    );
  });

  it('goes backwards from the end', async () => {
    const events = await collectAll(store.client.readAll({ direction: BACKWARDS, fromPosition: END }));
    expect(ours(events)).toEqual(inOrder.toReversed());
  });

  it('begins at the position of an append, which it includes', async () => {
    const position = written[2]?.position as Position;
    // The read has no maxCount, because EventStoreDB writes events of its own between ours.
    const events = await collectAll(store.client.readAll({ fromPosition: position }));
    expect(ours(events)).toEqual(inOrder.slice(inOrder.indexOf('0:3')));
  });

  it('goes backwards from a position, which it does not include', async () => {
    const position = written[2]?.position as Position;
    const events = await collectAll(store.client.readAll({ direction: BACKWARDS, fromPosition: position }));
    expect(ours(events)).toEqual(inOrder.slice(0, inOrder.indexOf('0:3')).toReversed());
  });

  it('stops after maxCount', async () => {
    expect(await collectAll(store.client.readAll({ maxCount: 5 }))).toHaveLength(5);
    // EventStoreDB writes events of its own at any time, so the last one may not be ours.
    const last = await collectAll(
      store.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }),
    );
    expect(last).toHaveLength(1);
  });

  it('is empty from the end on, and backwards from the start', async () => {
    expect(await collectAll(store.client.readAll({ fromPosition: END }))).toEqual([]);
    expect(await collectAll(store.client.readAll({ direction: BACKWARDS, fromPosition: START }))).toEqual([]);
  });
});

describe('a read that resolves links', () => {
  it('yields the event that the link leads to, and the link', async () => {
    const [target, links] = [newStream(), newStream('links')];
    await store.client.appendToStream(target, numbered(3));
    await store.client.appendToStream(links, [
      binaryEvent({ type: '$>', data: Buffer.from(`1@${target}`) }),
      binaryEvent({ type: '$>', data: Buffer.from(`7@${target}`) }),
      jsonEvent({ type: 'Counted', data: { n: 9 } }),
    ]);
    const [resolved, broken, plain] = await collect(store.client.readStream(links, { resolveLinkTos: true }));
    expect(resolved?.event).toMatchObject({ streamId: target, revision: 1n, data: { n: 1 } });
    expect(resolved?.link).toMatchObject({ streamId: links, revision: 0n, type: '$>' });
    expect(broken?.event).toBeUndefined();
    expect(broken?.link).toMatchObject({ streamId: links, revision: 1n });
    expect(plain?.event).toMatchObject({ streamId: links, revision: 2n });
    expect(plain?.link).toBeUndefined();

    const [unresolved] = await collect(store.client.readStream(links));
    expect(unresolved?.event).toMatchObject({ streamId: links, type: '$>' });
  });

  it.each<{ target: string; hide: (stream: string) => Promise<unknown>; seen: number[] }>([
    { target: 'soft-deleted', hide: (stream) => store.client.deleteStream(stream), seen: [] },
    { target: 'tombstoned', hide: (stream) => store.client.tombstoneStream(stream), seen: [] },
    {
      target: 'soft-deleted and appended to again',
      hide: async (stream) => {
        await store.client.deleteStream(stream);
        await store.client.appendToStream(stream, numbered(1, 3));
      },
      seen: [3],
    },
    {
      target: 'truncated',
      hide: (stream) => store.client.setStreamMetadata(stream, { truncateBefore: 2 }),
      seen: [2],
    },
    {
      target: 'limited to its last event',
      hide: (stream) => store.client.setStreamMetadata(stream, { maxCount: 1 }),
      seen: [2],
    },
  ])(
    'yields the link alone where its event is hidden: in a stream that is $target',
    async ({ hide, seen }) => {
      const [target, links] = [newStream(), newStream('links')];
      await store.client.appendToStream(target, numbered(3));
      await hide(target);
      await store.client.appendToStream(
        links,
        range(4).map((revision) => binaryEvent({ type: '$>', data: Buffer.from(`${revision}@${target}`) })),
      );
      const resolved = await collect(store.client.readStream(links, { resolveLinkTos: true }));
      expect(resolved.map(({ link }) => link?.revision)).toEqual([0n, 1n, 2n, 3n]);
      const events = resolved.filter(({ event }) => event !== undefined);
      expect(events.map(({ event }) => Number(event?.revision))).toEqual(seen);

      const all = await collectAll(store.client.readAll({ resolveLinkTos: true }));
      const mine = all.filter(({ link, event }) => link?.streamId === links && event !== undefined);
      expect(mine.map(({ event }) => Number(event?.revision))).toEqual(seen);
    },
  );

  it('yields the link alone where no stream can have the name that it says', async () => {
    const links = newStream('links');
    await store.client.appendToStream(links, binaryEvent({ type: '$>', data: Buffer.from('0@a\0b') }));
    const [resolved] = await collect(store.client.readStream(links, { resolveLinkTos: true }));
    expect(resolved?.event).toBeUndefined();
    expect(resolved?.link).toMatchObject({ streamId: links, revision: 0n });
  });

  it('follows a link to metadata as long as its stream is there', async () => {
    const [target, links] = [newStream(), newStream('links')];
    await store.client.setStreamMetadata(target, { maxCount: 7 });
    await store.client.appendToStream(links, binaryEvent({ type: '$>', data: Buffer.from(`0@$$${target}`) }));
    const follow = async (): Promise<unknown> =>
      (await collect(store.client.readStream(links, { resolveLinkTos: true })))[0]?.event?.streamId;
    expect(await follow()).toBe(`$$${target}`);
    await store.client.tombstoneStream(target);
    expect(await follow()).toBeUndefined();
  });
});
