import { deriveId } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import type { TaskRequest } from './process-manager.js';
import { AT_ONCE, TASKS_CHANNEL } from './stored-tasks.js';

/** Work on something that is wanted again and again: beginning it once is enough for all who have wanted it by then. */
export interface RecurringTask {
  readonly workspaceId: string;
  /** What it is about, in the place of an event's id; the task's own id derives from it. */
  readonly subject: string;
  readonly request: Pick<TaskRequest, 'name' | 'payload' | 'queue'>;
}

/**
 * Has tasks done at once, in the transaction of what wants them: each is one row, however often it is done. Answers the subjects of
 * those that begin after this is committed; one that is being performed right now may have looked already, and has to be asked for again.
 */
export async function armTasks(
  tx: Queryable,
  process: string,
  tasks: readonly RecurringTask[],
): Promise<string[]> {
  if (tasks.length === 0) return [];
  const wanted = tasks.map(({ workspaceId, subject, request: { name, payload, queue = null } }) => ({
    id: deriveId('tsk', process, subject, name, name),
    ...{ process, name, workspace_id: workspaceId, payload, queue },
    ...{ due_at: AT_ONCE, clock: 'workspace', event_id: subject, correlation_id: subject },
  }));
  // Those that are being performed are left alone, not only unchanged: their end must not wait for this.
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
  await tx.query(`SELECT pg_notify('${TASKS_CHANNEL}', '')`);
  return rows.map(({ subject }) => subject);
}
