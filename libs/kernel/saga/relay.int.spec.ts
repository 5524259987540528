import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { createLogger, newUlid } from '#libs/kernel/system';
import { AggregateStore, EventFeed } from '#libs/kernel/event-store';
import {
  EventVocabulary,
  defineDecider,
  v1,
  type DomainEvent,
  type RecordedEvent,
} from '#libs/kernel/domain';
import {
  commandContext,
  createPool,
  cutConnections,
  startStorage,
  type TestStorage,
} from '../../../test/support/index.js';
import { RelayRunner, type Relay } from './index.js';

let storage: TestStorage;
let running: { stop(): Promise<void> }[];

beforeEach(async () => {
  storage = await startStorage(new EventVocabulary([beeps]));
  running = [];
});
afterEach(async () => {
  for (const one of running) await one.stop();
  await storage?.stop();
});

describe('a relay', () => {
  it('sends a new log in order, from one process at a time, and the next process continues', async () => {
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

  it('begins at the present end of an old log, and later sends events that were appended while it was off', async () => {
    await beep('old');
    const head = await newFeed().readHead();
    await storage.pool.query('INSERT INTO saga.checkpoints (process, position) VALUES ($1, $2)', [
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

  it('sends the same events again after a failure of the other system', async () => {
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

  it('sends events again whose position was not stored when its process crashed, so each is sent at least once', async () => {
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

type Beep = DomainEvent<'BeepSounded', { name: string }>;
const beeps = defineDecider<number, Beep['data'], Beep>({
  category: 'beep',
  events: { BeepSounded: v1 },
  decide: (data) => [{ type: 'BeepSounded', data }],
  evolve: (state) => (state ?? 0) + 1,
});

/** The other system, which stores the names that it received. */
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

function newFeed(): EventFeed {
  return new EventFeed(storage.client, storage.newCodec());
}

/** Starts a process that runs the relay. */
async function start(relay: Relay) {
  const name = `relay ${newUlid()}`;
  const pool = createPool(storage.database, 10, name);
  const runner = new RelayRunner(relay, newFeed(), pool, createLogger('test', 'silent'));
  await runner.prepare();
  const abort = new AbortController();
  const done = runner.run(abort.signal);
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    abort.abort();
    await done;
    await pool.end();
  };
  running.push({ stop });
  return {
    stop,
    /** Ends the process as a crash would, even during a send. */
    crash: async () => {
      await cutConnections(storage.pool, name);
      abort.abort();
    },
  };
}

/** Records one event for each name. */
async function beep(...names: string[]): Promise<void> {
  const store = new AggregateStore(storage.client, storage.newCodec());
  const id = `acc_1.${newUlid()}`;
  for (const name of names) await store.execute(beeps, id, commandContext(), { name });
}
