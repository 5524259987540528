import type { Queryable } from '#libs/postgres';
import type { TaskRequest } from './process-manager.js';
import { insertTasks, TASKS_CHANNEL } from './task-store.js';

/** A task that no event leads to. */
export interface AddedTask {
  readonly accountId: string;
  /** What it comes of, in the place of an event's id; the task's own id derives from it. */
  readonly causeId: string;
  readonly request: TaskRequest;
}

/** Stores tasks for a process manager in the transaction of what they come of, and wakes the workers when that is committed. */
export async function addTasks(tx: Queryable, process: string, tasks: readonly AddedTask[]): Promise<void> {
  if (tasks.length === 0) return;
  await insertTasks(
    tx,
    tasks.map(({ accountId, causeId, request }) => ({
      process,
      event: { eventId: causeId, accountId, correlationId: causeId },
      requests: [request],
    })),
  );
  await tx.query(`SELECT pg_notify('${TASKS_CHANNEL}', '')`);
}
