import type { Pool } from 'pg';
import type { Instant } from '#libs/kernel/core';
import type { Position } from '#libs/kernel/domain';
import { preparedStatement } from '#libs/kernel/postgres';

/** The unfinished tasks of one process manager. */
export interface Backlog {
  process: string;
  /** The number of tasks that no worker has taken, due or not. */
  waiting: number;
  /** The number of waiting tasks that are due. */
  due: number;
  /** The time for which the oldest due task has waited, in seconds. */
  overdueSeconds: number;
  /** The number of tasks that failed too often and are not tried again. */
  givenUp: number;
}

/** The unfinished tasks of a workspace that failed at their last attempt. */
export interface FailedTasks {
  count: number;
  /** The time of the earliest next attempt, by the machine's clock. It is past while that attempt runs. Null if there is no such task. */
  nextAttemptAt: Instant | null;
}

/** Tells which tasks are not finished, of which workspace they are, and how long they have waited. */
export class TaskProgressReader {
  constructor(private readonly pool: Pool) {}

  /** Returns the numbers of waiting tasks and of tasks that were given up, by process manager. */
  async readBacklog(): Promise<Backlog[]> {
    const { rows } = await this.pool.query<Backlog>(
      // Sleeping and ready tasks have an index each, and only the indexes are read.
      `${waiting('NOT ready')}
       UNION ALL
       ${waiting('ready')}
       UNION ALL
       SELECT process, 0, 0, 0, count(*)::int FROM saga.tasks WHERE status = 'failed' GROUP BY process`,
    );
    return [...Map.groupBy(rows, ({ process }) => process).values()].map((parts) => parts.reduce(sum));
  }

  /**
   * Returns the earliest time, up to `until`, at which an advance of this workspace's clock must stop, because an unfinished task is due.
   */
  async nextDueTime(workspaceId: string, until: Instant): Promise<Instant | undefined> {
    const { rows } = await this.pool.query<{ due: Instant | null }>(
      preparedStatement(
        `SELECT min(due_at) AS due FROM saga.tasks
         WHERE workspace_id = $1 AND clock = 'workspace' AND awaited AND status IN ('pending', 'running') AND due_at <= $2`,
        [workspaceId, until],
      ),
    );
    return rows[0]?.due ?? undefined;
  }

  /** Tells whether a due task on this workspace's clock is unfinished. Tasks that an advance does not wait for are ignored. */
  async hasUnfinishedTasks(workspaceId: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ unfinished: boolean }>(
      preparedStatement('SELECT saga.has_unfinished($1) AS unfinished', [workspaceId]),
    );
    return rows[0]!.unfinished;
  }

  /** The last error of an unfinished due task on this workspace's clock; undefined if none has failed. */
  async unfinishedTaskError(workspaceId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ error: string }>(
      `SELECT t.name || ': ' || t.last_error AS error
       FROM saga.tasks t JOIN workspaces.clocks c USING (workspace_id)
       WHERE t.workspace_id = $1 AND t.clock = 'workspace' AND t.awaited AND t.status IN ('pending', 'running')
         AND t.due_at <= coalesce(c.frozen_at, now()) AND t.last_error IS NOT NULL
       ORDER BY error LIMIT 1`,
      [workspaceId],
    );
    return rows[0]?.error;
  }

  /** Returns the unfinished tasks of this workspace whose last attempt failed with one of these codes of errors. */
  async failedTasks(workspaceId: string, codes: readonly string[]): Promise<FailedTasks> {
    const { rows } = await this.pool.query<FailedTasks>(
      `SELECT count(*)::int AS count, min(wakes_at) AS "nextAttemptAt" FROM saga.tasks
       WHERE workspace_id = $1 AND last_error_code = ANY($2) AND status IN ('pending', 'running')`,
      [workspaceId, codes],
    );
    return rows[0]!;
  }

  /**
   * Returns the time at which a task of this workspace last finished, in microseconds of the machine's clock; undefined if none has.
   */
  async lastTaskEnd(workspaceId: string): Promise<Instant | undefined> {
    const { rows } = await this.pool.query<{ last: Instant | null }>(
      preparedStatement(
        `SELECT max(done_at) AS last FROM saga.tasks WHERE workspace_id = $1 AND status = 'done'`,
        [workspaceId],
      ),
    );
    return rows[0]?.last ?? undefined;
  }

  /**
   * Returns true if a process manager has not read an event yet, or if the event's task `name` is pending or running. Returns false if the
   * process manager has read the event and no such task is left.
   */
  async isEventTaskUnfinished(
    process: string,
    name: string,
    event: { readonly id: string; readonly position: Position },
  ): Promise<boolean> {
    const { rows } = await this.pool.query<{ ahead: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM saga.checkpoints WHERE process = $1 AND position >= $4) OR EXISTS (
         SELECT FROM saga.tasks
         WHERE process = $1 AND name = $2 AND event_id = $3 AND status IN ('pending', 'running')) AS ahead`,
      [process, name, event.id, event.position.toString()],
    );
    return rows[0]!.ahead;
  }
}

/** The SQL that counts the waiting tasks that meet the condition `which`, for the backlog. */
const waiting = (which: string): string => `
  SELECT process, count(*)::int AS waiting, count(*) FILTER (WHERE wakes_at <= now())::int AS due,
    coalesce(extract(epoch FROM now() - min(wakes_at) FILTER (WHERE wakes_at <= now())), 0)::float8
      AS "overdueSeconds", 0 AS "givenUp"
  FROM saga.tasks WHERE status = 'pending' AND ${which} GROUP BY process`;

function sum(a: Backlog, b: Backlog): Backlog {
  return {
    process: a.process,
    waiting: a.waiting + b.waiting,
    due: a.due + b.due,
    overdueSeconds: Math.max(a.overdueSeconds, b.overdueSeconds),
    givenUp: a.givenUp + b.givenUp,
  };
}
