import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { once } from 'node:events';
import { EventEmitter } from 'node:events';
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
import { AdvisoryLocks, columnTypes, NotificationListener } from '#libs/kernel/postgres';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  createMigratedDatabase,
  createPool,
  cutConnections,
  startEventStore,
  type TestDatabase,
  type TestEventStore,
} from '../../../test/support/index.js';
import {
  ProcessManager,
  SagaRunner,
  SandboxTime,
  type Task,
  type TaskHandlers,
  type TaskRequest,
} from './index.js';

type Ping = DomainEvent<'PingSent', { name: string; dueAt?: string; clock?: 'workspace' | 'system' }>;
const pings = defineDecider<{ count: number }, Ping['data'], Ping>({
  category: 'ping',
  events: { PingSent: v1 },
  decide: (data) => [{ type: 'PingSent', data }],
  evolve: (state) => ({ count: (state?.count ?? 0) + 1 }),
});

/** Stores a task for every ping; what performing it does is the test's. */
class Pinger extends ProcessManager<{ pong: Ping['data'] }> {
  readonly name = 'pinger';
  readonly seen: string[] = [];
  readonly heard = new EventEmitter();
  during: (task: Task<Ping['data']>) => Promise<void> = async () => undefined;

  override async concerned(workspaceIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(workspaceIds.filter((one) => one !== unconcerned));
  }

  override react(event: RecordedEvent): TaskRequest<{ pong: Ping['data'] }>[] {
    if (event.type !== 'PingSent') return [];
    const { dueAt, clock, name } = event.data as Ping['data'];
    return [{ name: 'pong', payload: { name }, ...(dueAt ? { dueAt } : {}), ...(clock ? { clock } : {}) }];
  }

  protected override readonly tasks: TaskHandlers<{ pong: Ping['data'] }> = {
    pong: async ({ name }, _, ping) => {
      this.heard.emit('started', ping);
      await this.during(ping);
      this.seen.push(name);
      this.heard.emit('performed', ping);
    },
  };
}

/** One saga process. */
interface Process {
  pinger: Pinger;
  pool: pg.Pool;
  stop(): Promise<void>;
  /** Ends it as a crash would: its connections are cut and its tasks left as they are. */
  crash(): Promise<void>;
}

const workspaceId = 'acc_1';
/** A workspace that the test's process manager has nothing to do for. */
const unconcerned = 'acc_2';
let database: TestDatabase;
let node: TestEventStore;
let client: EventStoreDBClient;
let pool: pg.Pool;
let clock: WorkspaceClock;
let locks: AdvisoryLocks;
let store: AggregateStore;
let processes: Process[];
const logger = createLogger('test', 'silent');

beforeEach(async () => {
  database = await createMigratedDatabase();
  node = await startEventStore(database.url);
  client = EventStoreDBClient.connectionString(node.url);
  pool = createPool(database);
  clock = new WorkspaceClock(pool);
  await clock.create(workspaceId, 'sandbox');
  store = new AggregateStore(
    client,
    new EventCodec(new PersonalDataVault(pool), new EventVocabulary([pings])),
  );
  locks = new AdvisoryLocks(database.url, {
    connections: 2,
    waitMillis: 10_000,
    applicationName: 'test locks',
  });
  processes = [];
});
afterEach(async () => {
  for (const one of processes) await one.stop();
  await locks.onApplicationShutdown();
  await client.dispose();
  await node.close();
  await pool.end();
  await database.drop();
});

const feed = (): EventFeed =>
  new EventFeed(client, new EventCodec(new PersonalDataVault(pool), new EventVocabulary([pings])));

async function startProcess(during?: Pinger['during']): Promise<Process> {
  const pinger = new Pinger(clock);
  if (during) pinger.during = during;
  const own = new pg.Pool({
    connectionString: database.url,
    types: columnTypes,
    options: '-c TimeZone=UTC',
    application_name: `saga ${newUlid()}`,
  });
  own.on('error', () => undefined);
  const listener = new NotificationListener(database.url);
  await listener.start();
  const abort = new AbortController();
  const done = new SagaRunner([pinger], feed(), own, listener, logger)
    .run(abort.signal)
    .catch(() => undefined);
  let stopped = false;
  const process: Process = {
    pinger,
    pool: own,
    async stop() {
      if (stopped) return;
      stopped = true;
      abort.abort();
      await done;
      await listener.close();
      await own.end();
    },
    async crash() {
      await cutConnections(pool, own.options.application_name!);
      stopped = true;
      abort.abort();
      await listener.close();
      void own.end();
    },
  };
  processes.push(process);
  return process;
}

async function ping(name: string, more: Partial<Ping['data']> = {}, of = workspaceId): Promise<void> {
  const context = {
    commandId: newUlid(),
    workspaceId: of,
    actor: { type: 'system', id: 'test' } as const,
    correlationId: 'request-1',
    causationId: null,
    now: await clock.now(workspaceId),
    mayRepeat: false,
  };
  await store.execute(pings, `${workspaceId}.${newUlid()}`, context, { name, ...more });
}

const performed = async (process: Process, times = 1): Promise<void> => {
  while (process.pinger.seen.length < times) await once(process.pinger.heard, 'performed');
};
/** Looks again after every notification of progress, until it is so. */
async function untilTasks(status: string, count: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ n: number }>(
      'SELECT count(*)::int n FROM saga.tasks WHERE status = $1',
      [status],
    );
    if (rows[0]!.n === count) return;
    await pool.query('SELECT pg_sleep(0.02)');
  }
}

describe('reactions', () => {
  it('performs one task for each event', async () => {
    const one = await startProcess();
    await ping('a');
    await ping('b');
    await performed(one, 2);
    await untilTasks('done', 2);
    expect(one.pinger.seen.sort()).toEqual(['a', 'b']);
  });

  it('stores nothing for a workspace that its process manager has nothing to do for', async () => {
    await ping('not concerned', {}, unconcerned);
    await ping('a');
    const one = await startProcess();
    await performed(one);
    await untilTasks('done', 1);
    const { rows } = await pool.query('SELECT workspace_id FROM saga.tasks');
    expect(rows).toEqual([{ workspace_id: workspaceId }]);
  });

  it('reacts to what happened while no process ran, once', async () => {
    await ping('before');
    const first = await startProcess();
    await performed(first);
    await first.stop();
    await ping('between');
    const second = await startProcess();
    await performed(second);
    await untilTasks('done', 2);
    expect(second.pinger.seen).toEqual(['between']);
  });

  it('tries a task again that failed', async () => {
    let attempts = 0;
    const one = await startProcess(async () => {
      if (++attempts < 3) throw new Error('not yet');
    });
    await ping('a');
    await performed(one);
    await untilTasks('done', 1);
    expect(attempts).toBe(3);
  });

  it('shares the tasks among processes, each performed by one', async () => {
    const [a, b] = [await startProcess(), await startProcess()];
    await Promise.all(Array.from({ length: 40 }, (_, n) => ping(`ping ${n}`)));
    await untilTasks('done', 40);
    expect([...a.pinger.seen, ...b.pinger.seen].sort()).toEqual(
      Array.from({ length: 40 }, (_, n) => `ping ${n}`).sort(),
    );
  });

  it('gives the task of a process that died in the middle of it to another', async () => {
    const first = await startProcess(() => new Promise(() => undefined));
    await ping('a');
    await once(first.pinger.heard, 'started');
    const second = await startProcess();
    await untilTasks('running', 1);
    await first.crash();
    await performed(second);
    await untilTasks('done', 1);
    expect(second.pinger.seen).toEqual(['a']);
  });
});

describe('timers', () => {
  it("waits for the workspace's clock", async () => {
    await clock.set(workspaceId, '2026-01-01T00:00:00.000Z');
    const one = await startProcess();
    await ping('later', { dueAt: '2026-01-02T00:00:00.000Z' });
    await ping('now');
    await performed(one);
    expect(one.pinger.seen).toEqual(['now']);
  });

  it('fires what is due in order of time when the clock is advanced, and stops there', async () => {
    await clock.set(workspaceId, '2026-01-01T00:00:00.000Z');
    const nows: string[] = [];
    const one = await startProcess(async () => void nows.push(await clock.now(workspaceId)));
    await ping('third', { dueAt: '2026-03-01T00:00:00.000Z' });
    await ping('first', { dueAt: '2026-01-02T00:00:00.000Z' });
    await ping('second', { dueAt: '2026-02-01T00:00:00.000Z' });
    await ping('never', { dueAt: '2026-03-01T00:00:00.001Z' });
    const listener = new NotificationListener(database.url);
    await listener.start();
    const time = new SandboxTime(pool, clock, feed(), listener, locks);
    const reading = await time.advance(workspaceId, '2026-03-01T00:00:00.000Z');
    await listener.close();
    expect(reading).toMatchObject({ now: '2026-03-01T00:00:00.000Z', frozen: true });
    expect(one.pinger.seen).toEqual(['first', 'second', 'third']);
    expect(nows).toEqual([
      '2026-01-02T00:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ]);
  });

  it('refuses to go back, or too far at once, or to move a live clock', async () => {
    await clock.set(workspaceId, '2026-01-01T00:00:00.000Z');
    await clock.create('acc_live', 'live');
    const listener = new NotificationListener(database.url);
    await listener.start();
    const time = new SandboxTime(pool, clock, feed(), listener, locks);
    await expect(time.advance(workspaceId, '2025-12-31T00:00:00.000Z')).rejects.toMatchObject({
      code: 'clock_backwards',
    });
    await expect(time.advance(workspaceId, '2226-01-01T00:00:00.000Z')).rejects.toMatchObject({
      code: 'clock_too_far',
      details: [{ field: 'to', message: expect.stringContaining('must not be after 2031-01-') }],
    });
    await expect(time.advance('acc_live', '2030-01-01T00:00:00.000Z')).rejects.toMatchObject({
      code: 'not_a_sandbox',
    });
    await listener.close();
  });
});
