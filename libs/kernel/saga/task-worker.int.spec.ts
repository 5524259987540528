import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { Unavailable } from '#libs/kernel/core';
import { createLogger } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { createMigratedDatabase, createPool, type TestDatabase } from '../../../test/support/index.js';
import { addTasks, ProcessManager, TaskStore, type TaskHandlers } from './index.js';
import {
  insertTasksOfReactions,
  PROGRESS_CHANNEL,
  TASKS_CHANNEL,
  WORKER_LOCK_CLASS,
} from './stored-tasks.js';
import { TaskWorker } from './task-worker.js';

const WORKER = 1;
/** An event store that answers with all events. */
const CURRENT_LOG = { waitUntilReadable: async () => undefined };

let database: TestDatabase;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool(database);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** A store that cannot be reached for a moment after the first task, as if all connections were in use. */
class UnreachableForAMoment extends TaskStore {
  failures = 3;

  override async finish(...args: Parameters<TaskStore['finish']>): Promise<void> {
    this.breakIfAway();
    return super.finish(...args);
  }

  override async recordFailure(...args: Parameters<TaskStore['recordFailure']>): Promise<void> {
    this.breakIfAway();
    return super.recordFailure(...args);
  }

  private breakIfAway(): void {
    if (this.failures-- > 0) throw new Error('timeout exceeded when trying to connect');
  }
}

describe('a worker that cannot note what became of a task', () => {
  it('notes it when it can, so that the task is not lost for as long as the worker lives', async () => {
    let heard: () => void = () => undefined;
    const again = new Promise<void>((resolve) => (heard = resolve));
    class Once extends ProcessManager {
      readonly name = 'once';
      override react = () => [];
      protected override readonly tasks: TaskHandlers<Record<string, object>> = {
        work: async (_payload, _context, { attempt }) => {
          if (attempt === 2) heard();
        },
      };
    }
    const event = { eventId: 'event-1', workspaceId: 'acc_1', correlationId: 'request-1' };
    await insertTasksOfReactions(pool, [
      { process: 'once', event, requests: [{ name: 'work', payload: {} }] },
    ]);
    const alive = await pool.connect();
    await alive.query('SELECT pg_advisory_lock($1, $2)', [WORKER_LOCK_CLASS, WORKER]);
    const abort = new AbortController();
    const worker = new TaskWorker(
      [new Once({ now: async () => '2026-01-01T00:00:00.000Z' })],
      new UnreachableForAMoment(pool),
      WORKER,
      4,
      CURRENT_LOG,
      createLogger('test', 'silent'),
    );
    const running = worker.run(abort.signal);
    await again;
    abort.abort();
    await running;
    alive.release(true);
    const { rows } = await pool.query('SELECT status, attempts FROM saga.tasks');
    expect(rows).toEqual([{ status: 'done', attempts: 2 }]);
  });
});

describe('a task that fails for days', () => {
  it('is given up, unless what it needs is unavailable', async () => {
    class Failing extends ProcessManager {
      readonly name = 'failing';
      override react = () => [];
      protected override readonly tasks: TaskHandlers<Record<string, object>> = {
        broken: () => Promise.reject(new Error('A mistake in the program')),
        waiting: () => Promise.reject(new Unavailable('payment_gateway_refused', 'The key is wrong')),
      };
    }
    const event = { eventId: 'event-1', workspaceId: 'acc_1', correlationId: 'request-1' };
    const requests = ['broken', 'waiting'].map((name) => ({ name, payload: {} }));
    await insertTasksOfReactions(pool, [{ process: 'failing', event, requests }]);
    await pool.query('UPDATE saga.tasks SET attempts = 599');
    const abort = new AbortController();
    class Noting extends TaskStore {
      noted = 0;
      override async recordFailure(...args: Parameters<TaskStore['recordFailure']>): Promise<void> {
        await super.recordFailure(...args);
        if (++this.noted === 2) abort.abort();
      }
    }
    const manager = new Failing({ now: async () => '2026-01-01T00:00:00.000Z' });
    await new TaskWorker(
      [manager],
      new Noting(pool),
      WORKER,
      4,
      CURRENT_LOG,
      createLogger('test', 'silent'),
    ).run(abort.signal);
    const { rows } = await pool.query('SELECT name, status, last_error FROM saga.tasks ORDER BY name');
    expect(rows).toEqual([
      { name: 'broken', status: 'failed', last_error: 'A mistake in the program' },
      { name: 'waiting', status: 'pending', last_error: 'The key is wrong' },
    ]);
  });
});

describe('a worker whose task takes long', () => {
  it('gives signs of life to whoever moves the clock of the workspace, and to nobody of a live one', async () => {
    class Slow extends ProcessManager {
      readonly name = 'slow';
      readonly end = Promise.withResolvers<void>();
      override react = () => [];
      protected override readonly tasks = { work: () => this.end.promise };
    }
    const clock = new WorkspaceClock(pool);
    await clock.create('acc_sandbox', 'sandbox');
    await clock.create('acc_live', 'live');
    for (const workspaceId of ['acc_live', 'acc_sandbox']) {
      const event = { eventId: `event of ${workspaceId}`, workspaceId, correlationId: 'request-1' };
      await insertTasksOfReactions(pool, [
        { process: 'slow', event, requests: [{ name: 'work', payload: {} }] },
      ]);
    }
    const hearing = await pool.connect();
    await hearing.query(`LISTEN ${PROGRESS_CHANNEL}`);
    const heard: (string | undefined)[] = [];
    const second = new Promise<void>((resolve) =>
      hearing.on('notification', ({ payload }) => {
        if (heard.push(payload) === 2) resolve();
      }),
    );
    const slow = new Slow(clock);
    const abort = new AbortController();
    const worker = new TaskWorker(
      [slow],
      new TaskStore(pool),
      WORKER,
      4,
      CURRENT_LOG,
      createLogger('test', 'silent'),
    );
    const running = worker.run(abort.signal);
    await second;
    const signs = [...heard];
    // The end of a task also sends a notification.
    slow.end.resolve();
    abort.abort();
    await running;
    hearing.release(true);
    expect(signs).toEqual(['acc_sandbox', 'acc_sandbox']);
  });
});

describe('a notification of new tasks', () => {
  const event = { eventId: 'event-1', workspaceId: 'acc_1', correlationId: 'request-1' };
  const request = { name: 'work', payload: {} };

  it('names the process managers that have them, and nobody if a clock was moved', async () => {
    const hearing = await pool.connect();
    await hearing.query(`LISTEN ${TASKS_CHANNEL}`);
    const heard: (string | undefined)[] = [];
    const last = new Promise<void>((resolve) =>
      hearing.on('notification', ({ payload }) => {
        if (heard.push(payload) === 3) resolve();
      }),
    );
    const store = new TaskStore(pool);
    await addTasks(pool, 'billing', event, [request]);
    const [task] = await store.takeDueTasks(WORKER, 1, ['billing']);
    await store.finish(task!, [{ ...request, key: 'second' }]);
    await store.notifyWorkers();
    await last;
    hearing.release(true);
    expect(heard).toEqual(['billing', 'billing', '']);
  });

  it('makes only the workers of these process managers look for them', () => {
    class Billing extends ProcessManager {
      readonly name = 'billing';
      override react = () => [];
      protected override readonly tasks = { work: async () => undefined };
    }
    const worker = new TaskWorker(
      [new Billing({ now: async () => '2026-01-01T00:00:00.000Z' })],
      new TaskStore(pool),
      WORKER,
      4,
      CURRENT_LOG,
      createLogger('test', 'silent'),
    );
    const looks = jest.spyOn(worker, 'lookForWork');
    const looksAfter = (payload: string): number => {
      looks.mockClear();
      worker.onNotification(payload);
      return looks.mock.calls.length;
    };
    expect(['', 'billing', 'mail billing', 'mail', 'billing-runs'].map(looksAfter)).toEqual([1, 1, 1, 0, 0]);
  });
});

describe('a worker whose event store lacks the newest events', () => {
  it('performs a task when the events up to its cause can be read', async () => {
    const readable = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<bigint>();
    const done = Promise.withResolvers<void>();
    let performed = 0;
    class Counting extends ProcessManager {
      readonly name = 'counting';
      override react = () => [];
      protected override readonly tasks: TaskHandlers<Record<string, object>> = {
        work: async () => {
          performed += 1;
          done.resolve();
        },
      };
    }
    await pool.query(`INSERT INTO saga.checkpoints (process, position) VALUES ('counting', 42)`);
    const event = { eventId: 'event-1', workspaceId: 'acc_1', correlationId: 'request-1' };
    await insertTasksOfReactions(pool, [
      { process: 'counting', event, requests: [{ name: 'work', payload: {} }] },
    ]);
    const late = {
      waitUntilReadable: async (position: bigint): Promise<void> => {
        asked.resolve(position);
        await readable.promise;
      },
    };
    const abort = new AbortController();
    const manager = new Counting({ now: async () => '2026-01-01T00:00:00.000Z' });
    const worker = new TaskWorker(
      [manager],
      new TaskStore(pool),
      WORKER,
      4,
      late,
      createLogger('test', 'silent'),
    );
    const running = worker.run(abort.signal);
    expect(await asked.promise).toBe(42n);
    expect(performed).toBe(0);
    readable.resolve();
    await done.promise;
    abort.abort();
    await running;
    expect(performed).toBe(1);
  });
});
