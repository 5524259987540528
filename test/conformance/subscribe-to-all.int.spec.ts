import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  END,
  START,
  eventTypeFilter,
  excludeSystemEvents,
  streamNameFilter,
  type Filter,
  type Position,
} from '@eventstore/db-client';
import { newStream, numbered, openStore, range, type StoreUnderTest } from './support.js';
import { follow, followOn, type Followed } from './follow.js';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const append = (stream: string, count: number, first = 0, type = 'Counted'): Promise<unknown> =>
  store.client.appendToStream(stream, numbered(count, first, type));

const followAll = (options: Parameters<StoreUnderTest['client']['subscribeToAll']>[0]): Followed =>
  follow(store.client.subscribeToAll(options));

describe('a subscription to $all', () => {
  it('yields what was there, says that it has caught up, and goes on with what comes', async () => {
    const stream = newStream();
    await append(stream, 3);
    // A store that many tests write to may end it while it reads all that was there.
    const all = followOn((last) => store.client.subscribeToAll({ fromPosition: last?.position ?? START }));
    await all.caughtUp();
    expect(all.numbersOf(stream)).toEqual([0, 1, 2]);
    await append(stream, 2, 3);
    await all.until(() => all.numbersOf(stream).length === 5);
    expect(all.numbersOf(stream)).toEqual(range(5));
    await all.stop();
  });

  it('from the end yields only what comes after its confirmation', async () => {
    const stream = newStream();
    await append(stream, 3);
    const all = followAll({ fromPosition: END });
    await all.confirmed();
    await append(stream, 2, 3);
    await all.until(() => all.numbersOf(stream).length === 2);
    expect(all.numbersOf(stream)).toEqual([3, 4]);
    await all.stop();
  });

  it('from a position leaves out the event there', async () => {
    const stream = newStream();
    const { position } = await store.client.appendToStream(stream, numbered(1));
    await append(stream, 2, 1);
    const all = followAll({ fromPosition: position as Position });
    await all.until(() => all.numbersOf(stream).length === 2);
    expect(all.numbersOf(stream)).toEqual([1, 2]);
    await all.stop();
  });
});

describe('a filter', () => {
  const category = newStream('filtered').replaceAll('-', '');
  const wanted = [`${category}-a`, `${category}-b`];
  const unwanted = newStream(`x${category}`);
  beforeAll(async () => {
    await append(wanted[0] ?? '', 2, 0, `${category}Created`);
    await append(unwanted, 50, 100, `Other${category}`);
    await append(wanted[1] ?? '', 2, 2, `${category}Changed`);
    await append(unwanted, 50, 200, `Other${category}`);
  });

  it.each<{ name: string; filter: () => Filter; expected: number[] }>([
    {
      name: 'stream prefix',
      filter: () => streamNameFilter({ prefixes: [`${category}-`] }),
      expected: [0, 1, 2, 3],
    },
    {
      name: 'several stream prefixes',
      filter: () => streamNameFilter({ prefixes: ['nothing-', `${category}-b`] }),
      expected: [2, 3],
    },
    {
      name: 'stream regex',
      filter: () => streamNameFilter({ regex: `^${category}-[ac]$` }),
      expected: [0, 1],
    },
    {
      name: 'type prefix',
      filter: () => eventTypeFilter({ prefixes: [`${category}C`] }),
      expected: [0, 1, 2, 3],
    },
    {
      name: 'type regex',
      filter: () => eventTypeFilter({ regex: `^${category}.*ed$` }),
      expected: [0, 1, 2, 3],
    },
    {
      name: 'type regex of one',
      filter: () => eventTypeFilter({ regex: `${category}Changed` }),
      expected: [2, 3],
    },
  ])('by $name yields what matches, caught up and live', async ({ filter, expected }) => {
    const followed = followAll({ filter: filter() });
    await followed.caughtUp();
    expect(followed.numbers()).toEqual(expected);
    await followed.stop();
  });

  it('goes on filtering when live', async () => {
    const mine = newStream('livefilter').replaceAll('-', '');
    const followed = followAll({ filter: streamNameFilter({ prefixes: [mine] }) });
    await followed.caughtUp();
    for (let n = 0; n < 5; n += 1) {
      await append(`y${mine}`, 3);
      await append(mine, 1, n);
    }
    await followed.until(() => followed.numbers().length === 5);
    expect(followed.numbers()).toEqual(range(5));
    await followed.stop();
  });

  it('of excludeSystemEvents leaves out metadata and tombstones', async () => {
    const stream = newStream();
    await append(stream, 1);
    await store.client.setStreamMetadata(stream, { maxCount: 5 });
    await append(stream, 1, 1);
    const followed = followAll({ filter: excludeSystemEvents() });
    await followed.caughtUp();
    expect(followed.numbersOf(stream)).toEqual([0, 1]);
    expect(followed.events.filter(({ event }) => event?.type.startsWith('$'))).toEqual([]);
    await followed.stop();
  });

  it('that is no regular expression is refused', async () => {
    const followed = followAll({ filter: streamNameFilter({ regex: '([' }) });
    await expect(followed.failure()).resolves.toBeInstanceOf(Error);
  });
});

describe('checkpoints', () => {
  it('tell how far a filter has looked when nothing matches', async () => {
    const stream = newStream();
    const checkpoints: bigint[] = [];
    await append(stream, 300);
    const followed = followAll({
      filter: streamNameFilter({
        prefixes: ['no-stream-is-called-so'],
        maxSearchWindow: 10,
        checkpointInterval: 2,
        checkpointReached: (_, { commit }) => {
          checkpoints.push(commit);
        },
      }),
    });
    await followed.caughtUp();
    expect(checkpoints.length).toBeGreaterThanOrEqual(300 / 20 - 1);
    expect(checkpoints).toEqual([...new Set(checkpoints)].toSorted((a, b) => Number(a - b)));
    expect(followed.events).toEqual([]);
    await followed.stop();
  });

  it('go on when live', async () => {
    const stream = newStream();
    let last = 0n;
    const followed = followAll({
      fromPosition: END,
      filter: streamNameFilter({
        prefixes: ['no-stream-is-called-so'],
        maxSearchWindow: 10,
        checkpointInterval: 1,
        checkpointReached: (_, { commit }) => {
          last = commit;
          followed.changed();
        },
      }),
    });
    await followed.confirmed();
    const { position } = await store.client.appendToStream(stream, numbered(1));
    await append(stream, 40, 1);
    await followed.until(() => last > (position?.commit ?? 0n));
    await followed.stop();
  });

  it('are a place to begin again from without losing or repeating an event', async () => {
    const prefix = newStream('resumed');
    for (let n = 0; n < 60; n += 1) {
      await append(`other-${prefix}`, 3);
      await append(`${prefix}-${n}`, 1, n);
    }
    const options = { prefixes: [prefix], maxSearchWindow: 8, checkpointInterval: 1 };
    const seen: { numbers: number[]; at: Position }[] = [];
    const first: Followed = followAll({
      filter: streamNameFilter({
        ...options,
        checkpointReached: (_, at) => {
          seen.push({ numbers: first.numbers(), at });
        },
      }),
    });
    await first.until(() => first.numbers().length === 60);
    await first.stop();

    const middle = seen[Math.floor(seen.length / 2)];
    if (!middle) throw new Error('There was no checkpoint');
    const second = followAll({ filter: streamNameFilter(options), fromPosition: middle.at });
    await second.caughtUp();
    const together = [...middle.numbers, ...second.numbers()];
    // A checkpoint's callback may run before the events ahead of it have been handed out.
    expect(together.every((n, index) => index === 0 || n > (together[index - 1] ?? -1))).toBe(true);
    expect(second.numbers().at(-1)).toBe(59);
    await second.stop();
  });
});
