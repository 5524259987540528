import { deriveId, type Instant } from '#libs/kernel/core';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import type { Task, TaskRequest } from './process-manager.js';

/**
 * The channel for Postgres notifications that tasks were stored or a clock was moved. Workers then look for work. The payload has the names of
 * the process managers that have new tasks, separated by blanks. With an empty payload, every worker looks.
 */
export const TASKS_CHANNEL = 'saga_tasks';
/**
 * The channel for Postgres notifications that tasks still run, were finished or were put back, or that the reactor has moved on. An advance
 * of a sandbox's clock listens to this channel. The payload is the id of the tasks' workspace, or {@link POSITION_MOVED_PAYLOAD}.
 */
export const PROGRESS_CHANNEL = 'saga_progress';
/** The payload on {@link PROGRESS_CHANNEL} that means that the reactor has moved its position. */
export const POSITION_MOVED_PAYLOAD = 'position';

/** The first key of the advisory locks that show which workers are alive. */
export const WORKER_LOCK_CLASS = 7_301;

/**
 * The due time of a task that is due at once, whatever the workspace's clock shows. The time of the event cannot be the due time, because
 * the clock of a sandbox can be set back.
 */
export const DUE_AT_ONCE: Instant = '1970-01-01T00:00:00.000Z';

/** A stored task with the process manager that it belongs to. */
export interface StoredTask extends Task {
  readonly process: string;
  /** The span that caused the task (W3C `traceparent`), if tracing was on. */
  readonly traceParent?: string | null | undefined;
}

/** The tasks that a process manager requests because of an event. */
export interface Reaction {
  /** The name of the process manager. */
  process: string;
  event: Pick<StoredTask, 'eventId' | 'workspaceId' | 'correlationId' | 'traceParent'> &
    Partial<Pick<StoredTask, 'eventAt'>>;
  requests: readonly TaskRequest[];
}

/** Returns the id under which the task that a process manager requests because of an event is stored. */
export function taskIdOf(
  process: string,
  eventId: string,
  { subject, name, key }: Pick<TaskRequest, 'subject' | 'name' | 'key'>,
): string {
  return deriveId('tsk', process, subject ?? eventId, name, key ?? name);
}

/** Notifies the workers of these process managers that they have new tasks; without names, all workers. */
export async function notifyWorkersOf(db: Queryable, processes: readonly string[]): Promise<void> {
  const payload = [...new Set(processes)].join(' ');
  await db.query(preparedStatement(`SELECT pg_notify('${TASKS_CHANNEL}', $1)`, [payload]));
}

/** Stores the tasks of events. Storing them again changes nothing. */
export async function insertTasksOfReactions(db: Queryable, reactions: readonly Reaction[]): Promise<void> {
  const rows = reactions.flatMap(({ process, event, requests }) =>
    requests.map((request) => ({
      id: taskIdOf(process, event.eventId, request),
      process,
      name: request.name,
      workspace_id: event.workspaceId,
      payload: request.payload,
      due_at: request.dueAt ?? DUE_AT_ONCE,
      clock: request.clock ?? 'workspace',
      queue: request.queue ?? null,
      event_id: event.eventId,
      event_at: event.eventAt ?? null,
      correlation_id: event.correlationId,
      trace_parent: event.traceParent ?? null,
    })),
  );
  if (rows.length === 0) return;
  await db.query(
    preparedStatement(
      `INSERT INTO saga.tasks
         (id, process, name, workspace_id, payload, due_at, clock, queue, event_id, event_at, correlation_id,
          trace_parent)
       SELECT id, process, name, workspace_id, payload, due_at, clock, queue, event_id, event_at, correlation_id, trace_parent
       FROM jsonb_populate_recordset(NULL::saga.tasks, $1) ON CONFLICT DO NOTHING`,
      [JSON.stringify(rows)],
    ),
  );
}

/**
 * Ends tasks. For sandboxes, the function notifies callers that wait for an advance of the sandbox's clock. In live workspaces nobody waits
 * for an advance, and commits with notifications would delay each other.
 */
export async function endTasks(db: Queryable, tasks: readonly StoredTask[]): Promise<void> {
  await db.query(
    preparedStatement(
      `WITH done AS (UPDATE saga.tasks SET status = 'done', done_at = now(), last_error = NULL WHERE id = ANY($1))
       SELECT pg_notify('${PROGRESS_CHANNEL}', workspace_id) FROM workspaces.clocks
       WHERE workspace_id = ANY($2) AND mode = 'sandbox'`,
      [tasks.map(({ id }) => id), [...new Set(tasks.map(({ workspaceId }) => workspaceId))]],
    ),
  );
}
