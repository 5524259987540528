import type { Queryable } from '#libs/kernel/postgres';
import type { TaskRequest } from './process-manager.js';
import { insertTasksOfReactions, notifyWorkersOf, type Reaction } from './stored-tasks.js';

/**
 * Stores tasks of a process manager that do not come from its `react` method, in the caller's transaction. Storing a task again changes
 * nothing, because its id derives from the origin's `eventId`, its name and its key.
 */
export async function addTasks(
  tx: Queryable,
  process: string,
  origin: Reaction['event'],
  requests: readonly TaskRequest[],
): Promise<void> {
  if (requests.length === 0) return;
  await insertTasksOfReactions(tx, [{ process, event: origin, requests }]);
  await notifyWorkersOf(tx, [process]);
}
