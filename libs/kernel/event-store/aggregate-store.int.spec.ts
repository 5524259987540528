import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import type pg from 'pg';
import { InvalidRequest } from '#libs/kernel/core';
import { EventVocabulary, defineDecider, type DomainEvent } from '#libs/kernel/domain';
import { newUlid } from '#libs/kernel/system';
import {
  createMigratedDatabase,
  createPool,
  itOfNode,
  startEventStore,
  type TestDatabase,
  type TestEventStore,
} from '../../../test/support/index.js';
import { holdAppends } from '../../../test/support/hold-appends.js';
import {
  AggregateStore,
  EventCodec,
  PersonalDataVault,
  readingOnce,
  StreamClosed,
  ERASED,
  type CommandContext,
} from './index.js';

type CounterEvent = DomainEvent<'CounterIncreased', { by: number; note?: string; owner: string }>;
type CounterCommand = { by: number; limit?: number; note?: string };

/** A counter that refuses to go beyond a limit: the smallest aggregate with a rule that a race can break. */
const counter = defineDecider<{ value: number; notes: string[] }, CounterCommand, CounterEvent>({
  category: 'counter',
  events: { CounterIncreased: { version: 1, personal: { subject: 'owner', fields: ['note'] } } },
  decide({ by, limit = Infinity, note }, state) {
    if ((state?.value ?? 0) + by > limit) throw new InvalidRequest('limit_reached', 'limit reached');
    return by === 0
      ? []
      : [
          {
            type: 'CounterIncreased',
            data: { by, owner: 'cust_1', ...(note === undefined ? {} : { note }) },
          },
        ];
  },
  evolve: (state, { data }) => ({
    value: (state?.value ?? 0) + data.by,
    notes: [...(state?.notes ?? []), ...(data.note === undefined ? [] : [data.note])],
  }),
});

let database: TestDatabase;
let node: TestEventStore;
let client: EventStoreDBClient;
let pool: pg.Pool;
let vault: PersonalDataVault;
let id: string;

const newStore = (): AggregateStore =>
  new AggregateStore(client, new EventCodec(vault, new EventVocabulary([counter])));
const context = (more: Partial<CommandContext> = {}): CommandContext => ({
  commandId: newUlid(),
  workspaceId: 'acc_1',
  actor: { type: 'api_key', id: 'key_1' },
  correlationId: 'request-1',
  causationId: null,
  now: '2026-01-01T00:00:00.000Z',
  mayRepeat: false,
  ...more,
});
const revisions = async (): Promise<number> => {
  let last = -1;
  for await (const { event } of client.readStream(`counter-${id}`)) last = Number(event!.revision);
  return last + 1;
};

beforeAll(async () => {
  database = await createMigratedDatabase();
  node = await startEventStore(database.url);
  client = EventStoreDBClient.connectionString(node.url);
  pool = createPool(database);
  vault = new PersonalDataVault(pool);
});
afterAll(async () => {
  await client?.dispose();
  await node?.close();
  await pool?.end();
  await database?.drop();
});
beforeEach(() => {
  id = `acc_1.${newUlid()}`;
});

describe('executing commands', () => {
  it('appends, and answers with the state after it', async () => {
    const store = newStore();
    await store.execute(counter, id, context(), { by: 2 });
    const { state, revision } = await store.execute(counter, id, context(), { by: 3 });
    expect(state.value).toBe(5);
    expect(revision).toBe(1n);
    expect(await newStore().load(counter, id)).toEqual({ value: 5, notes: [] });
  });

  it('appends nothing when a command is repeated, also by another process and with another outcome', async () => {
    const repeated = context({ mayRepeat: true });
    await newStore().execute(counter, id, repeated, { by: 1 });
    const second = await newStore().execute(counter, id, repeated, { by: 7 });
    expect(second).toMatchObject({ state: { value: 1 }, events: [] });
    expect(await revisions()).toBe(1);
  });

  it('runs a command once when it is sent twenty times at once', async () => {
    const repeated = context({ mayRepeat: true });
    const stores = Array.from({ length: 20 }, newStore);
    const results = await Promise.all(stores.map((store) => store.execute(counter, id, repeated, { by: 1 })));
    expect(results.map(({ state }) => state.value)).toEqual(Array(20).fill(1));
    expect(await revisions()).toBe(1);
  });

  it('lets two processes that decide on stale state both succeed, one after the other', async () => {
    const [a, b] = [newStore(), newStore()];
    await a.execute(counter, id, context(), { by: 1 });
    await b.load(counter, id);
    await a.execute(counter, id, context(), { by: 1 });
    expect((await b.execute(counter, id, context(), { by: 1 })).state.value).toBe(3);
  });

  it('never lets a race break a rule', async () => {
    const stores = Array.from({ length: 10 }, newStore);
    const outcomes = await Promise.allSettled(
      stores.map((store) => store.execute(counter, id, context(), { by: 1, limit: 3 })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await revisions()).toBe(3);
  });

  it('looks again before it tells a refusal that rests on stale state', async () => {
    const [a, b] = [newStore(), newStore()];
    await a.execute(counter, id, context(), { by: 5 });
    await b.load(counter, id);
    await a.execute(counter, id, context(), { by: -5 });
    expect((await b.execute(counter, id, context(), { by: 1, limit: 3 })).state.value).toBe(1);
  });

  it('makes do with what it remembers where that suffices, and finds out as it appends', async () => {
    const [a, b] = [newStore(), newStore()];
    await a.execute(counter, id, context(), { by: 1 });
    await b.load(counter, id);
    await a.execute(counter, id, context(), { by: 1 });
    expect(await b.load(counter, id, ({ value }) => value === 1)).toMatchObject({ value: 1 });
    expect((await b.execute(counter, id, context(), { by: 1 })).state.value).toBe(3);
    expect(await b.load(counter, id, ({ value }) => value === 1)).toMatchObject({ value: 3 });
  });

  it('reads a stream once in a piece of work, but for what that writes and for what an append finds out', async () => {
    const [a, b] = [newStore(), newStore()];
    const values: unknown[] = [];
    const look = async () => values.push((await b.load(counter, id))?.value);
    const somebodyElse = () => readingOnce(() => a.execute(counter, id, context(), { by: 1 }));
    await readingOnce(async () => {
      await look();
      await somebodyElse();
      await look();
      await b.execute(counter, id, context(), { by: 1 });
      await look();
      await somebodyElse();
      await look();
      await b.execute(counter, id, context({ mayRepeat: true }), { by: 1 });
      await look();
    });
    expect(values).toEqual([undefined, undefined, 2, 2, 4]);
    await readingOnce(look);
    expect(values.at(-1)).toBe(4);
  });

  // It was told as a conflict with others, who were not there: what is to be done about the two is not the same.
  it('shows what was so right after each event, whatever it remembers', async () => {
    const store = newStore();
    for (const by of [1, 2, 4]) await store.execute(counter, id, context(), { by });
    for (const one of [store, newStore()]) {
      const values = await Promise.all([0n, 1n, 2n].map((revision) => one.loadAt(counter, id, revision)));
      expect(values.map((state) => state!.value)).toEqual([1, 3, 7]);
    }
    // It has not taken what it read for the latest.
    expect(await store.load(counter, id)).toMatchObject({ value: 7 });
    expect(await store.loadAt(counter, 'acc_1.unknown', 0n)).toBeUndefined();
  });

  itOfNode(
    'says that the event store is unavailable when that takes no writes, and writes when it does again',
    async () => {
      const store = newStore();
      await pool.query(
        `CREATE FUNCTION eventstore.no_room() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER no_room BEFORE INSERT ON eventstore.events EXECUTE FUNCTION eventstore.no_room()`,
      );
      const refused = store.execute(counter, id, context(), { by: 1 });
      await expect(refused).rejects.toMatchObject({ status: 503, code: 'event_store_unavailable' });
      await pool.query('DROP FUNCTION eventstore.no_room CASCADE');
      expect((await store.execute(counter, id, context(), { by: 1 })).state.value).toBe(1);
    },
  );
});

describe('many writers of one aggregate', () => {
  const increase = (store: AggregateStore) => store.execute(counter, id, context(), { by: 1 });

  it('are all served, also when they are spread over two processes', async () => {
    const stores = [newStore(), newStore()];
    const writers = Array.from({ length: 30 }, (_, index) => stores[index % stores.length]!);
    const values = (await Promise.all(writers.map(increase))).map(({ state }) => state.value);
    expect(values.toSorted((a, b) => a - b)).toEqual(writers.map((_, index) => index + 1));
  });

  it('append in turn in one process, while others read it and write elsewhere', async () => {
    const held = holdAppends(client, `counter-${id}`);
    const store = new AggregateStore(held.client, new EventCodec(vault, new EventVocabulary([counter])));
    const writers = Promise.all([increase(store), increase(store), increase(store)]);
    for (const turn of [1, 2, 3]) {
      await held.arrived(turn);
      expect((await store.load(counter, id))?.value ?? 0).toBe(turn - 1);
      await store.execute(counter, `acc_1.${newUlid()}`, context(), { by: 1 });
      expect(held.waiting()).toBe(1);
      held.release();
    }
    expect((await writers).map(({ state }) => state.value)).toEqual([1, 2, 3]);
  });

  it('keep as many states in memory as the store may, those that were used last', async () => {
    const read = jest.spyOn(client, 'readStream');
    const store = new AggregateStore(client, new EventCodec(vault, new EventVocabulary([counter])), {
      cacheSize: 2,
    });
    const ids = ['a', 'b', 'c'].map((name) => `${id}-${name}`);
    for (const one of ids) await store.execute(counter, one, context(), { by: 1 });
    for (const one of ids.toReversed()) await store.load(counter, one, () => true);
    expect(read.mock.calls.map(([stream]) => stream)).toEqual([`counter-${ids[0]}`]);
    read.mockRestore();
  });

  it('leave the turn to the next when a rule refuses them', async () => {
    const store = newStore();
    const refused = store.execute(counter, id, context(), { by: 1, limit: 0 });
    const next = increase(store);
    await expect(refused).rejects.toMatchObject({ code: 'limit_reached' });
    expect((await next).state.value).toBe(1);
  });

  it('are told to try again, instead of waiting for ever behind an append that hangs', async () => {
    const held = holdAppends(client, `counter-${id}`);
    const store = new AggregateStore(held.client, new EventCodec(vault, new EventVocabulary([counter])), {
      retryMillis: 50,
    });
    const first = increase(store);
    await held.arrived(1);
    await expect(increase(store)).rejects.toMatchObject({ status: 503, code: 'too_many_at_work' });
    held.release();
    expect((await first).state.value).toBe(1);
    expect(await revisions()).toBe(1);
  });

  it('are told of a conflict when others win each time', async () => {
    const rival = newStore();
    const overtaken = holdAppends(client, `counter-${id}`, () => increase(rival));
    const store = new AggregateStore(
      overtaken.client,
      new EventCodec(vault, new EventVocabulary([counter])),
      { retryMillis: 50 },
    );
    await expect(increase(store)).rejects.toMatchObject({ status: 409, code: 'concurrent_modification' });
  });
});

describe('closing a stream', () => {
  it('keeps an aggregate from ever being created, by whichever process, also if it is repeated', async () => {
    const [a, b] = [newStore(), newStore()];
    const closing = context();
    expect(await a.close(counter, id, closing)).toBe(true);
    expect(await a.close(counter, id, closing)).toBe(true);
    expect(await b.close(counter, id, context())).toBe(true);
    for (const store of [a, b])
      await expect(store.execute(counter, id, context(), { by: 1 })).rejects.toBeInstanceOf(StreamClosed);
    expect(await a.load(counter, id)).toBeUndefined();
    expect(await revisions()).toBe(1);
  });

  it('is not done to an aggregate that is there', async () => {
    const [a, b] = [newStore(), newStore()];
    await a.execute(counter, id, context(), { by: 1 });
    expect(await a.close(counter, id, context())).toBe(false);
    expect(await b.close(counter, id, context())).toBe(false);
    expect((await b.execute(counter, id, context(), { by: 1 })).state.value).toBe(2);
  });

  it('waits for a command whose append is under way', async () => {
    const held = holdAppends(client, `counter-${id}`);
    const store = new AggregateStore(held.client, new EventCodec(vault, new EventVocabulary([counter])));
    const creating = store.execute(counter, id, context(), { by: 1 });
    await held.arrived(1);
    const closing = store.close(counter, id, context());
    held.release();
    await creating;
    await held.arrived(2);
    held.release();
    expect(await closing).toBe(false);
  });
});

describe('personal data', () => {
  it('stands encrypted in the log and is gone once its key is destroyed', async () => {
    const secret = 'ada@example.com';
    await newStore().execute(counter, id, context(), { by: 1, note: secret });
    for await (const { event } of client.readStream(`counter-${id}`))
      expect(JSON.stringify(event!.data)).not.toContain(secret);
    expect((await newStore().load(counter, id))?.notes).toEqual([secret]);
    await vault.erase('acc_1.cust_1');
    expect((await newStore().load(counter, id))?.notes).toEqual([ERASED]);
    await newStore().execute(counter, id, context(), { by: 1, note: 'later' });
    expect((await newStore().load(counter, id))?.notes).toEqual([ERASED, ERASED]);
  });
});
