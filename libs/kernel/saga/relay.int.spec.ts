import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventEmitter, once } from 'node:events';
import pg from 'pg';
import { createLogger, newUlid } from '#libs/kernel/system';
import { AggregateStore, EventCodec, EventFeed, PersonalDataVault } from '#libs/kernel/event-store';
import {
  EventVocabulary,
  defineDecider,
  v1,
  type DomainEvent,
  type RecordedEvent,
} from '#libs/kernel/domain';
import { columnTypes } from '#libs/kernel/postgres';
import {
  createMigratedDatabase,
  createPool,
  cutConnections,
  startEventStore,
  type TestDatabase,
  type TestEventStore,
} from '../../../test/support/index.js';
import { RelayRunner, type Relay } from './index.js';

type Beep = DomainEvent<'BeepSounded', { name: string }>;
const beeps = defineDecider<number, Beep['data'], Beep>({
  category: 'beep',
  events: { BeepSounded: v1 },
  decide: (data) => [{ type: 'BeepSounded', data }],
  evolve: (state) => (state ?? 0) + 1,
});

/** The other system: keeps what it was told, by name. */
class Listener implements Relay {
  readonly name = 'listener';
  readonly told: string[] = [];
  readonly heard = new EventEmitter();
  before: () => Promise<void> = async () => undefined;

  async send(events: readonly RecordedEvent[]): Promise<number> {
    const names = events
      .filter(({ type }) => type === 'BeepSounded')
      .map(({ data }) => (data as Beep['data']).name);
    if (names.length === 0) return 0;
    this.heard.emit('asked', names);
    await this.before();
    this.told.push(...names);
    this.heard.emit('told');
    return names.length;
  }

  async until(count: number): Promise<string[]> {
    while (this.told.length < count) await once(this.heard, 'told');
    return this.told;
  }
}

const logger = createLogger('test', 'silent');
let database: TestDatabase;
let node: TestEventStore;
let client: EventStoreDBClient;
let pool: pg.Pool;
let store: AggregateStore;
let running: { stop(): Promise<void> }[];

beforeEach(async () => {
  database = await createMigratedDatabase();
  node = await startEventStore(database.url);
  client = EventStoreDBClient.connectionString(node.url);
  pool = createPool(database);
  store = new AggregateStore(
    client,
    new EventCodec(new PersonalDataVault(pool), new EventVocabulary([beeps])),
  );
  running = [];
});
afterEach(async () => {
  for (const one of running) await one.stop();
  await client.dispose();
  await node.close();
  await pool.end();
  await database.drop();
});

/** A process that runs the relay. */
async function start(relay: Relay) {
  const name = `relay ${newUlid()}`;
  const own = new pg.Pool({
    connectionString: database.url,
    types: columnTypes,
    options: '-c TimeZone=UTC',
    application_name: name,
  });
  own.on('error', () => undefined);
  const feed = new EventFeed(
    client,
    new EventCodec(new PersonalDataVault(own), new EventVocabulary([beeps])),
  );
  const runner = new RelayRunner(relay, feed, own, logger);
  await runner.prepare();
  const abort = new AbortController();
  const done = runner.run(abort.signal);
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    abort.abort();
    await done;
    await own.end();
  };
  running.push({ stop });
  return {
    stop,
    /** Ends it as a crash would, whatever the other system is just being told. */
    crash: async () => {
      await cutConnections(pool, name);
      abort.abort();
    },
  };
}

async function beep(...names: string[]): Promise<void> {
  const id = `acc_1.${newUlid()}`;
  for (const name of names)
    await store.execute(
      beeps,
      id,
      {
        commandId: newUlid(),
        workspaceId: 'acc_1',
        actor: { type: 'system', id: 'test' },
        correlationId: 'request-1',
        causationId: null,
        now: '2026-01-01T00:00:00.000Z',
        mayRepeat: false,
      },
      { name },
    );
}

describe('a relay', () => {
  it('tells everything of a new log in order, from one process at a time, and the next goes on where it ended', async () => {
    const first = new Listener();
    const one = await start(first);
    await beep('a', 'b', 'c');
    expect(await first.until(3)).toEqual(['a', 'b', 'c']);
    const second = new Listener();
    await start(second);
    await beep('d');
    await first.until(4);
    expect(second.told).toEqual([]);
    await one.stop();
    await beep('e');
    expect(await second.until(1)).toEqual(['e']);
  });

  it('begins at the present of an old log, and tells later what happens while it is off', async () => {
    await beep('old');
    const head = await new EventFeed(
      client,
      new EventCodec(new PersonalDataVault(pool), new EventVocabulary([beeps])),
    ).head();
    await pool.query('INSERT INTO saga.checkpoints (process, position) VALUES ($1, $2)', [
      'billing',
      String(head),
    ]);
    const listener = new Listener();
    const one = await start(listener);
    await beep('new');
    expect(await listener.until(1)).toEqual(['new']);
    await one.stop();
    await beep('meanwhile');
    await start(listener);
    expect(await listener.until(2)).toEqual(['new', 'meanwhile']);
  });

  it('tells the same again when the other system fails, and moves on only then', async () => {
    const listener = new Listener();
    let failures = 2;
    listener.before = async () => {
      if (failures-- > 0) throw new Error('away');
    };
    await start(listener);
    await beep('a');
    expect(await listener.until(1)).toEqual(['a']);
    expect(failures).toBe(-1);
  });

  it('tells again what it had not noted when its process was lost: at least once, never less', async () => {
    const listener = new Listener();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    listener.before = () => held;
    const one = await start(listener);
    const asked = once(listener.heard, 'asked');
    await beep('a');
    await asked;
    await one.crash();
    const other = new Listener();
    await start(other);
    expect(await other.until(1)).toEqual(['a']);
    release();
    await beep('b');
    expect(await other.until(2)).toEqual(['a', 'b']);
    expect(await listener.until(1)).toEqual(['a']);
  });
});
