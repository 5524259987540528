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
import { AdvisoryLocks, NotificationListener } from '#libs/kernel/postgres';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  commandContext,
  createPool,
  cutConnections,
  startStorage,
  type TestStorage,
} from '../../../test/support/index.js';
import {
  ProcessManager,
  SagaRunner,
  SandboxClockMover,
  type Task,
  type TaskHandlers,
  type TaskRequest,
} from './index.js';

const workspaceId = 'acc_1';
/** A workspace for which the test's process manager has no work. */
const unconcernedWorkspaceId = 'acc_2';
let storage: TestStorage;
let clock: WorkspaceClock;
let processes: Process[];

beforeEach(async () => {
  storage = await startStorage(new EventVocabulary([pings]));
  clock = new WorkspaceClock(storage.pool);
  await clock.create(workspaceId, 'sandbox');
  processes = [];
});
afterEach(async () => {
  for (const one of processes) await one.stop();
  await storage?.stop();
});

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
    await ping('not concerned', {}, unconcernedWorkspaceId);
    await ping('a');
    const one = await startProcess();
    await performed(one);
    await untilTasks('done', 1);
    const { rows } = await storage.pool.query('SELECT workspace_id FROM saga.tasks');
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
    const dead = Promise.withResolvers<void>();
    const first = await startProcess(() => dead.promise);
    await ping('a');
    await once(first.pinger.heard, 'started');
    const second = await startProcess();
    await untilTasks('running', 1);
    await first.crash();
    await performed(second);
    await untilTasks('done', 1);
    expect(second.pinger.seen).toEqual(['a']);
    // A process that died takes its worker with it. Here the worker ends when its task does.
    dead.reject(new Error('The process is dead'));
  });
});

describe('timers', () => {
  let listener: NotificationListener;
  let locks: AdvisoryLocks;
  let time: SandboxClockMover;
  beforeEach(async () => {
    const { url } = storage.database;
    listener = new NotificationListener(url);
    await listener.start();
    locks = new AdvisoryLocks(url, {
      maxConnections: 2,
      lockWaitMillis: 60_000,
      applicationName: 'test locks',
    });
    time = new SandboxClockMover(storage.pool, clock, newFeed(), listener, locks, { stalledSeconds: 60 });
  });
  afterEach(async () => {
    await listener.close();
    await locks.onApplicationShutdown();
  });

  it("waits for the workspace's clock", async () => {
    await clock.freezeAt(workspaceId, '2026-01-01T00:00:00.000Z');
    const one = await startProcess();
    await ping('later', { dueAt: '2026-01-02T00:00:00.000Z' });
    await ping('now');
    await performed(one);
    expect(one.pinger.seen).toEqual(['now']);
  });

  it('fires what is due in order of time when the clock is advanced, and stops there', async () => {
    await clock.freezeAt(workspaceId, '2026-01-01T00:00:00.000Z');
    const nows: string[] = [];
    const one = await startProcess(async () => void nows.push(await clock.now(workspaceId)));
    await ping('third', { dueAt: '2026-03-01T00:00:00.000Z' });
    await ping('first', { dueAt: '2026-01-02T00:00:00.000Z' });
    await ping('second', { dueAt: '2026-02-01T00:00:00.000Z' });
    await ping('never', { dueAt: '2026-03-01T00:00:00.001Z' });
    const reading = await time.advance(workspaceId, '2026-03-01T00:00:00.000Z');
    expect(reading).toMatchObject({ now: '2026-03-01T00:00:00.000Z', frozen: true });
    expect(one.pinger.seen).toEqual(['first', 'second', 'third']);
    expect(nows).toEqual([
      '2026-01-02T00:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ]);
  });

  it('refuses to go back, or too far at once, or to move a live clock', async () => {
    await clock.freezeAt(workspaceId, '2026-01-01T00:00:00.000Z');
    await clock.create('acc_live', 'live');
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
  });
});

type Ping = DomainEvent<'PingSent', { name: string; dueAt?: string; clock?: 'workspace' | 'system' }>;
const pings = defineDecider<{ count: number }, Ping['data'], Ping>({
  category: 'ping',
  events: { PingSent: v1 },
  decide: (data) => [{ type: 'PingSent', data }],
  evolve: (state) => ({ count: (state?.count ?? 0) + 1 }),
});

/** Stores a task for every ping. The test defines how it is performed. */
class Pinger extends ProcessManager<{ pong: Ping['data'] }> {
  readonly name = 'pinger';
  readonly seen: string[] = [];
  readonly heard = new EventEmitter();
  during: (task: Task<Ping['data']>) => Promise<void> = async () => undefined;

  override async workspacesWithWork(workspaceIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(workspaceIds.filter((one) => one !== unconcernedWorkspaceId));
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
  stop(): Promise<void>;
  /** Ends the process as a crash would. Its connections are cut and its tasks stay unchanged. */
  crash(): Promise<void>;
}

async function startProcess(during?: Pinger['during']): Promise<Process> {
  const pinger = new Pinger(clock);
  if (during) pinger.during = during;
  const name = `saga ${newUlid()}`;
  const pool = createPool(storage.database, 10, name);
  const listener = new NotificationListener(storage.database.url);
  await listener.start();
  const abort = new AbortController();
  const done = new SagaRunner([pinger], newFeed(), pool, listener, createLogger('test', 'silent'))
    .run(abort.signal)
    .catch(() => undefined);
  let stopped = false;
  const process: Process = {
    pinger,
    async stop() {
      if (stopped) return;
      stopped = true;
      abort.abort();
      await done;
      await listener.close();
      await pool.end();
    },
    async crash() {
      await cutConnections(storage.pool, name);
      stopped = true;
      abort.abort();
      await listener.close();
      void pool.end();
    },
  };
  processes.push(process);
  return process;
}

function newFeed(): EventFeed {
  return new EventFeed(storage.client, storage.newCodec());
}

async function ping(name: string, more: Partial<Ping['data']> = {}, of = workspaceId): Promise<void> {
  const context = commandContext({ workspaceId: of, now: await clock.now(workspaceId) });
  const store = new AggregateStore(storage.client, storage.newCodec());
  await store.execute(pings, `${workspaceId}.${newUlid()}`, context, { name, ...more });
}

async function performed(process: Process, times = 1): Promise<void> {
  while (process.pinger.seen.length < times) await once(process.pinger.heard, 'performed');
}

/** Checks again after every notification of progress, until this many tasks have the status. */
async function untilTasks(status: string, count: number): Promise<void> {
  for (;;) {
    const { rows } = await storage.pool.query<{ n: number }>(
      'SELECT count(*)::int n FROM saga.tasks WHERE status = $1',
      [status],
    );
    if (rows[0]!.n === count) return;
    await storage.pool.query('SELECT pg_sleep(0.02)');
  }
}
