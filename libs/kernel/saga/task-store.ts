import type { Pool } from 'pg';
import { type Instant } from '#libs/kernel/core';
import type { Position } from '#libs/kernel/domain';
import { CoalescedRead } from '#libs/kernel/system';
import { inTransaction, preparedStatement } from '#libs/kernel/postgres';
import { currentTraceParent } from '#libs/kernel/telemetry';
import type { PoolOrConnection } from './saga-lock-connection.js';
import type { TaskRequest } from './process-manager.js';
import {
  endTasks,
  insertTasksOfReactions,
  notifyWorkersOf,
  PROGRESS_CHANNEL,
  WORKER_LOCK_CLASS,
  type Reaction,
  type StoredTask,
} from './stored-tasks.js';

const FIELDS = `t.id, t.process, t.name, t.workspace_id AS "workspaceId", t.payload, t.due_at AS "dueAt",
  t.clock, t.attempts AS "attempt", t.event_id AS "eventId", t.event_at AS "eventAt", t.correlation_id AS "correlationId",
  t.trace_parent AS "traceParent"`;

/** At most this many tasks of one queue run at a time, in all processes together. */
const QUEUE_SLOTS = 4;

/** Why an attempt of a task failed. `code` is that of the error, if the error is one of the API. */
export interface TaskFailure {
  readonly message: string;
  readonly code?: string;
}

/**
 * Stores the tasks of process managers in Postgres. Each task is taken by one worker at a time. The tasks of one queue are taken in the
 * order in which they become due. If a worker dies, its tasks are not lost.
 */
export class TaskStore {
  /** Finished tasks that are not stored as finished yet, each with the tasks that follow from it. */
  private readonly ended = new Map<StoredTask, Reaction>();
  private readonly noting = new CoalescedRead(() => this.noteDone());
  /**
   * For each set of process managers, the workspace whose tasks were taken last. Workspaces take turns, which matters if more workspaces
   * have due tasks than there are slots.
   */
  private readonly turns = new Map<string, string>();

  /**
   * @param claims the connection on which tasks are taken. If a worker holds an advisory lock, `claims` is the connection with this lock
   */
  constructor(
    private readonly pool: Pool,
    private readonly claims: PoolOrConnection = pool,
  ) {}

  /**
   * Takes due tasks of the process managers named in `processes`, for `worker`, which has `free` slots. Workspaces take turns. Each
   * workspace leaves as many slots free as it has running tasks, so fewer tasks may be taken than are due.
   */
  async takeDueTasks(worker: number, free: number, processes: string[]): Promise<StoredTask[]> {
    const ring = processes.join(' ');
    let after = this.turns.get(ring) ?? '';
    let mayStartOver = after !== '';
    const taken: StoredTask[] = [];
    for (;;) {
      const rows = await this.takeAfter(after, worker, free - taken.length, processes);
      taken.push(...rows.map(({ next: _, ...task }) => task));
      after = rows[0]?.next ?? '';
      if (taken.length === free) break;
      if (after !== '') continue;
      if (!mayStartOver) break;
      mayStartOver = false;
    }
    this.turns.set(ring, after);
    return taken;
  }

  private async takeAfter(
    after: string,
    worker: number,
    free: number,
    processes: string[],
  ): Promise<(StoredTask & { next: string })[]> {
    const { rows } = await this.claims.query<StoredTask & { next: string }>(
      preparedStatement(
        `SELECT ${FIELDS}, taken.next FROM saga.take_tasks($1, $2, ${QUEUE_SLOTS}, $3, $4) taken
         CROSS JOIN LATERAL (SELECT (taken.task).*) t`,
        [worker, free, processes, after],
      ),
    );
    return rows;
  }

  /** The position up to which the reactor has stored the tasks of events; undefined before the first event. */
  async readReactorPosition(): Promise<Position | undefined> {
    const { rows } = await this.pool.query<{ position: string | null }>(
      preparedStatement('SELECT max(position) AS position FROM saga.checkpoints', []),
    );
    const position = rows[0]?.position ?? null;
    return position === null ? undefined : BigInt(position);
  }

  /** Ends a task, and stores the tasks that follow from it. Tasks that end at nearly the same time are stored in one commit. */
  async finish(task: StoredTask, following: readonly TaskRequest[] = []): Promise<void> {
    const event =
      following.length > 0 ? { ...task, traceParent: currentTraceParent() ?? task.traceParent } : task;
    this.ended.set(task, { process: task.process, event, requests: following });
    return this.noting.read();
  }

  private async noteDone(): Promise<void> {
    const tasks = [...this.ended.keys()];
    const following = [...this.ended.values()].filter(({ requests }) => requests.length > 0);
    this.ended.clear();
    if (following.length === 0) return endTasks(this.pool, tasks);
    await inTransaction(this.pool, async (tx) => {
      await insertTasksOfReactions(tx, following);
      await endTasks(tx, tasks);
      await notifyWorkersOf(
        tx,
        following.map(({ process }) => process),
      );
    });
  }

  /** Notifies the callers that advance the clocks of the sandboxes in `workspaceIds` that tasks are still running. */
  async notifyThatTasksRun(workspaceIds: readonly string[]): Promise<void> {
    await this.pool.query(
      `SELECT pg_notify('${PROGRESS_CHANNEL}', workspace_id) FROM workspaces.clocks
       WHERE workspace_id = ANY($1) AND mode = 'sandbox'`,
      [workspaceIds],
    );
  }

  /**
   * Stores that a task must run again at `at`, by the workspace's clock, because its handler requested this. An advance of the clock does
   * not wait for the task.
   */
  async reschedule(task: StoredTask, at: Instant): Promise<void> {
    await this.pool.query(
      `WITH again AS (
         UPDATE saga.tasks SET status = 'pending', worker = NULL, attempts = 1, last_error = NULL,
           last_error_code = NULL, due_at = $2, clock = 'workspace', awaited = false WHERE id = $1
       ) SELECT pg_notify('${PROGRESS_CHANNEL}', $3)`,
      [task.id, at, task.workspaceId],
    );
  }

  /** Puts a task back for another attempt after `delayMillis`. If `delayMillis` is undefined, the task is given up. */
  async recordFailure(
    task: StoredTask,
    failure: TaskFailure,
    delayMillis: number | undefined,
  ): Promise<void> {
    await this.pool.query(
      `UPDATE saga.tasks SET status = $2, last_error = $3, last_error_code = $5,
         not_before = now() + make_interval(secs => $4) WHERE id = $1`,
      [
        task.id,
        delayMillis === undefined ? 'failed' : 'pending',
        failure.message.slice(0, 2_000),
        (delayMillis ?? 0) / 1_000,
        failure.code ?? null,
      ],
    );
  }

  /** Releases the tasks of workers that are gone. A living worker holds an advisory lock. */
  async releaseAbandonedTasks(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `UPDATE saga.tasks SET status = 'pending', worker = NULL
       WHERE status = 'running' AND worker NOT IN (
         SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = ${WORKER_LOCK_CLASS} AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    );
    return rowCount ?? 0;
  }

  /**
   * Returns the milliseconds until the process managers named in `processes` have work: the next task becomes due, or a pause of a queue
   * ends. Returns undefined if no task and no queue waits for a time. Due tasks that were not taken are ignored, since they wait for other
   * tasks to end.
   */
  async millisUntilNextWork(processes: string[]): Promise<number | undefined> {
    const { rows } = await this.claims.query<{ seconds: string | null }>(
      preparedStatement(
        `SELECT extract(epoch FROM least(
           (SELECT min(asleep.wakes_at) FROM unnest($1::text[]) p(process) CROSS JOIN LATERAL (
              SELECT t.wakes_at FROM saga.tasks t
              WHERE t.status = 'pending' AND NOT t.ready AND t.wakes_at < 'infinity' AND t.process = p.process
              ORDER BY t.wakes_at LIMIT 1) asleep),
           (SELECT min(until) FROM saga.queue_holds WHERE process = ANY($1) AND until > now())) - now()) AS seconds`,
        [processes],
      ),
    );
    const seconds = rows[0]?.seconds ?? null;
    return seconds === null ? undefined : Math.max(0, Number(seconds) * 1_000);
  }

  /** Notifies all workers that they must look for work, since a clock was moved. */
  async notifyWorkers(): Promise<void> {
    await notifyWorkersOf(this.pool, []);
  }
}
