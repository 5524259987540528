import type { Pool } from 'pg';
import type { Logger } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import { waitForLock, withLockConnection, type NotificationListener } from '#libs/kernel/postgres';
import { SagaLockConnection } from './saga-lock-connection.js';
import type { ProcessManager } from './process-manager.js';
import { Reactor } from './reactor.js';
import { TASKS_CHANNEL, WORKER_LOCK_CLASS } from './stored-tasks.js';
import { TaskStore } from './task-store.js';
import { TaskWorker } from './task-worker.js';

/** The second key of the advisory lock that the active reactor of a database holds. */
const REACTOR_LOCK = 0;
/**
 * The number of tasks that run at a time, for all process managers without separate slots. One workspace gets at most half of the shared
 * slots. One workspace can thus get 96 slots, which a billing run needs. With 48 slots for a workspace, fewer appends share a flush to
 * disk, so a billing run takes a fifth longer.
 */
const SHARED_SLOTS = 192;

/**
 * Runs one saga process: its workers, and the reactor if no other process runs it. The workers and the reactor hold advisory locks on one
 * connection. If the connection with the locks is lost, the process must not continue, so `run` rejects.
 */
export class SagaRunner {
  constructor(
    private readonly managers: readonly ProcessManager[],
    private readonly feed: EventFeed,
    private readonly pool: Pool,
    private readonly listener: NotificationListener,
    private readonly logger: Logger,
  ) {}

  /** Runs until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await withLockConnection(this.pool, signal, async (connection, both) => {
      const locks = new SagaLockConnection(connection);
      const number = await lockWorkerNumber(locks);
      const workers = this.workers(number, locks);
      const nudgeAll = (): void => workers.forEach((worker) => worker.lookForWork());
      const unlisten = await this.listener.on(
        TASKS_CHANNEL,
        (payload) => workers.forEach((worker) => worker.onNotification(payload)),
        nudgeAll,
      );
      try {
        await Promise.all([...workers.map((worker) => worker.run(both)), this.react(locks, both)]);
      } finally {
        unlisten();
      }
    });
  }

  /** Makes one worker for all process managers that share slots, and one worker for each process manager with separate slots. */
  private workers(number: number, locks: SagaLockConnection): TaskWorker[] {
    const store = new TaskStore(this.pool, locks);
    const shared = this.managers.filter(({ slots }) => slots === undefined);
    const own = this.managers.filter(({ slots }) => slots !== undefined);
    return [
      ...(shared.length > 0
        ? [new TaskWorker(shared, store, number, SHARED_SLOTS, this.feed, this.logger)]
        : []),
      ...own.map(
        (manager) => new TaskWorker([manager], store, number, manager.slots!, this.feed, this.logger),
      ),
    ];
  }

  /** Waits for the reactor's lock, and reacts to events while it holds the lock. */
  private async react(locks: SagaLockConnection, signal: AbortSignal): Promise<void> {
    if (await waitForLock(() => tryReactorLock(locks), signal))
      await new Reactor(this.managers, this.feed, this.pool, this.logger).run(signal);
  }
}

async function tryReactorLock(locks: SagaLockConnection): Promise<boolean> {
  const { rows } = await locks.query<{ locked: boolean }>({
    text: 'SELECT pg_try_advisory_lock($1, $2) AS locked',
    values: [WORKER_LOCK_CLASS, REACTOR_LOCK],
  });
  return rows[0]!.locked;
}

/** Finds a number that no living worker has, and takes the lock that shows this worker to be alive. */
async function lockWorkerNumber(locks: SagaLockConnection): Promise<number> {
  const { rows } = await locks.query<{ number: number }>({
    text: `SELECT nextval('saga.worker_numbers')::int AS number`,
  });
  const number = rows[0]!.number;
  await locks.query({ text: 'SELECT pg_advisory_lock($1, $2)', values: [WORKER_LOCK_CLASS, number] });
  return number;
}
