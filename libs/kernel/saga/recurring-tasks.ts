import { deriveId } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { TaskRequest } from './process-manager.js';
import { DUE_AT_ONCE, notifyWorkersOf } from './stored-tasks.js';

/** A task that is requested repeatedly. One run of the task fulfils all requests that were made before the run begins. */
export interface RecurringTask {
  readonly workspaceId: string;
  /**
   * Says what the task is about, such as the id of a subscription. The task's id derives from its subject, because no event causes the
   * task.
   */
  readonly subject: string;
  readonly request: Pick<TaskRequest, 'name' | 'payload' | 'queue'>;
}

/**
 * Requests tasks that are due at once, in the caller's transaction. Each subject has one row in the task table, even if its task is
 * requested often. The row keeps the payload and the queue of its first request. Returns the subjects whose tasks will begin after the
 * transaction commits. The subject of a task that is running now is not returned. Such a task may have read its data already, and must be
 * requested again.
 */
export async function requestRecurringTasks(
  tx: Queryable,
  process: string,
  tasks: readonly RecurringTask[],
): Promise<string[]> {
  if (tasks.length === 0) return [];
  const wanted = tasks.map(({ workspaceId, subject, request: { name, payload, queue = null } }) => ({
    id: deriveId('tsk', process, subject, name, name),
    process,
    name,
    workspace_id: workspaceId,
    payload,
    queue,
    due_at: DUE_AT_ONCE,
    clock: 'workspace',
    event_id: subject,
    correlation_id: subject,
  }));
  // Running tasks are not even locked, because their end must not wait for this statement.
  const { rows } = await tx.query<{ subject: string }>(
    `INSERT INTO saga.tasks AS t (id, process, name, workspace_id, payload, due_at, clock, queue, event_id, correlation_id)
     SELECT id, process, name, workspace_id, payload, due_at, clock, queue, event_id, correlation_id
     FROM jsonb_populate_recordset(NULL::saga.tasks, $1) wanted
     WHERE NOT EXISTS (SELECT FROM saga.tasks r WHERE r.id = wanted.id AND r.status = 'running')
     ORDER BY id
     ON CONFLICT (id) DO UPDATE SET status = 'pending', worker = NULL, done_at = NULL,
       attempts = CASE t.status WHEN 'pending' THEN t.attempts ELSE 1 END,
       not_before = CASE t.status WHEN 'pending' THEN t.not_before ELSE now() END
     WHERE t.status <> 'running'
     RETURNING event_id AS subject`,
    [JSON.stringify(wanted)],
  );
  await notifyWorkersOf(tx, [process]);
  return rows.map(({ subject }) => subject);
}
