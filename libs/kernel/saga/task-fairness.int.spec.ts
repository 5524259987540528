import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import type pg from 'pg';
import { createLogger } from '#libs/kernel/system';
import { addTasks, type TasksToAdd } from '../../../test/support/add-tasks.js';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { ProcessManager, TaskStore, type Task, type TaskHandlers } from './index.js';
import { WORKER_LOCK_CLASS, type StoredTask } from './stored-tasks.js';
import { TaskWorker } from './task-worker.js';

const WORKER = 1;
/** An event store that answers with all events. */
const CURRENT_LOG = { waitUntilReadable: async () => undefined };
const PROCESS = 'sender';

let database: TestDatabase;
let pool: pg.Pool;
let store: TaskStore;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
  store = new TaskStore(pool);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

describe("a workspace's flood of tasks", () => {
  it("does not keep another's from being performed, though none of it comes to an end", async () => {
    const performer = new Performer({ now: async () => '2026-01-01T00:00:00.000Z' });
    const alive = await pool.connect();
    await alive.query('SELECT pg_advisory_lock($1, $2)', [WORKER_LOCK_CLASS, WORKER]);
    const worker = new TaskWorker([performer], store, WORKER, 8, CURRENT_LOG, createLogger('test', 'silent'));
    const abort = new AbortController();
    await add('acc_flood', 500);
    const begun = once(performer.heard, 'acc_flood');
    const running = worker.run(abort.signal);
    await begun;
    for (const other of ['acc_other', 'acc_third']) {
      const performed = once(performer.heard, other);
      await add(other, 1);
      worker.lookForWork();
      await performed;
    }
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM saga.tasks WHERE workspace_id = 'acc_flood' AND status = 'running'`,
    );
    expect(rows[0]!.n).toBe(4);
    abort.abort();
    performer.held.resolve();
    await running;
    alive.release(true);
  });

  it('has as many slots as it leaves free, and shares them with whoever comes', async () => {
    await add('acc_flood', 100);
    expect(byWorkspace(await take(16))).toEqual({ acc_flood: 8 });
    await add('acc_other', 100);
    await add('acc_third', 1);
    expect(byWorkspace(await take(8))).toEqual({ acc_other: 4, acc_third: 1 });
    expect(await take(3)).toEqual([]);
  });

  it('is shared out evenly where several have one', async () => {
    for (const workspace of ['acc_a', 'acc_b', 'acc_c']) await add(workspace, 100);
    expect(byWorkspace(await take(16))).toEqual({ acc_a: 4, acc_b: 4, acc_c: 4 });
  });

  it('lets each of many workspaces have its turn, in whatever order they stand', async () => {
    const workspaces = Array.from({ length: 40 }, (_, n) => `acc_${String(n).padStart(2, '0')}`);
    for (const workspace of workspaces) await add(workspace, 20);
    const seen = new Set<string>();
    for (let look = 0; look < 10; look++) {
      const tasks = await take(4);
      tasks.forEach(({ workspaceId }) => seen.add(workspaceId));
      await end(tasks);
    }
    expect([...seen].sort()).toEqual(workspaces);
  });

  it('to many endpoints leaves slots for the endpoints of others', async () => {
    for (let n = 0; n < 48; n++) await add('acc_flood', 40, { queue: `wh_${n}` });
    await add('acc_other', 3, { queue: 'wh_other' });
    const tasks = await take(64);
    expect(byWorkspace(tasks)).toEqual({ acc_flood: 31, acc_other: 3 });
    const queues = await pool.query<{ queue: string }>(
      `SELECT queue FROM saga.tasks WHERE status = 'running' AND workspace_id = 'acc_flood'`,
    );
    // Each queue has one task before any queue has a second one.
    expect(new Set(queues.rows.map(({ queue }) => queue)).size).toBe(31);
  });

  it("of one kind does not hold up the workspace's own tasks of another", async () => {
    await add('acc_flood', 100, { process: 'billing' });
    await add('acc_flood', 1, { process: 'collection' });
    const taken = await take(8, ['billing', 'collection']);
    expect(tally(taken, ({ process }) => process)).toEqual({ billing: 3, collection: 1 });
  });

  it('in a queue leaves the queue of the same name to others', async () => {
    await add('acc_flood', 20, { queue: 'thresholds' });
    await take(64);
    await add('acc_other', 20, { queue: 'thresholds' });
    expect(byWorkspace(await take(60))).toEqual({ acc_other: 4 });
  });

  it('of 100,000 is not read through to find what is to be done next', async () => {
    await addMany('acc_flood', 100_000);
    await add('acc_other', 1);
    const client = await pool.connect();
    const claims = new TaskStore(pool, client);
    try {
      await client.query('BEGIN');
      expect(byWorkspace(await claims.takeDueTasks(WORKER, 96, [PROCESS]))).toEqual({
        acc_flood: 48,
        acc_other: 1,
      });
      const { rows } = await client.query<{ read: number }>(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'tasks'`,
      );
      expect(rows[0]!.read).toBeLessThan(1_000);
    } finally {
      client.release(true);
    }
  });

  it('that all come due at once wakes up part by part, and tasks of others that are due pass it', async () => {
    await add('acc_flood', 3_000, { dueAt: '2999-01-01T00:00:00.000Z' });
    await pool.query(`UPDATE saga.tasks SET wakes_at = '2026-01-01'`);
    await add('acc_other', 1);
    expect(byWorkspace(await take(8))).toMatchObject({ acc_other: 1 });
    const ready = async () =>
      (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM saga.tasks WHERE ready')).rows[0]!.n;
    expect(await ready()).toBe(2_001);
    expect(await store.millisUntilNextWork([PROCESS])).toBe(0);
    await take(1);
    expect(await ready()).toBe(3_001);
    expect(await store.millisUntilNextWork([PROCESS])).toBeUndefined();
  });
});

describe('several processes', () => {
  it('together perform no more of a queue at a time than one does', async () => {
    for (let round = 0; round < 20; round++) {
      await add('acc_1', 10, { queue: `wh_${round}` });
      const taken = await Promise.all(
        [1, 2, 3].map((worker) => new TaskStore(pool).takeDueTasks(worker, 64, [PROCESS])),
      );
      expect(taken.flat()).toHaveLength(4);
      await pool.query('TRUNCATE saga.tasks');
    }
  });
});

/** Records the workspace of each performed task, and holds the tasks of one workspace. */
class Performer extends ProcessManager {
  readonly name = PROCESS;
  readonly heard = new EventEmitter();
  readonly held = Promise.withResolvers<void>();

  override react = () => [];
  protected override readonly tasks: TaskHandlers<Record<string, object>> = {
    work: async (_payload, { workspaceId }) => {
      this.heard.emit(workspaceId);
      if (workspaceId === 'acc_flood') await this.held.promise;
    },
  };
}

/** Stores `count` tasks of a workspace. */
async function add(workspaceId: string, count: number, more: TasksToAdd = {}): Promise<void> {
  await addTasks(pool, count, { workspaceId, ...more });
}

/** Stores many tasks in one statement, which is as fast as possible. */
async function addMany(workspaceId: string, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO saga.tasks (id, process, name, workspace_id, payload, due_at, clock, event_id, correlation_id)
     SELECT 'tsk_' || $1 || n, $2, 'work', $1, '{}', now(), 'system', 'event', 'request'
     FROM generate_series(1, $3::int) n`,
    [workspaceId, PROCESS, count],
  );
}

function take(free: number, processes = [PROCESS]): Promise<StoredTask[]> {
  return store.takeDueTasks(WORKER, free, processes);
}

async function end(tasks: StoredTask[]): Promise<void> {
  await Promise.all(tasks.map((task) => store.finish(task)));
}

/** Returns the number of items of each kind. */
function tally<One>(all: readonly One[], of: (one: One) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(all, of)].map(([key, { length }]) => [key, length]).sort());
}

function byWorkspace(tasks: Task[]): Record<string, number> {
  return tally(tasks, ({ workspaceId }) => workspaceId);
}
