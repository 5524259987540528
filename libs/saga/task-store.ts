import type { Pool } from 'pg';
import { SharedReading, type Instant } from '#libs/core';
import { inTransaction, prepared } from '#libs/postgres';
import { traceParent } from '#libs/telemetry';
import type { Asked } from './lock-connection.js';
import type { TaskRequest } from './process-manager.js';
import {
  endTasks,
  insertTasks,
  PROGRESS_CHANNEL,
  TASKS_CHANNEL,
  WORKER_LOCKS,
  type StoredTask,
} from './stored-tasks.js';

const FIELDS = `t.id, t.process, t.name, t.account_id AS "accountId", t.payload, t.due_at AS "dueAt",
  t.attempts AS "attempt", t.event_id AS "eventId", t.correlation_id AS "correlationId",
  t.trace_parent AS "traceParent"`;

/** Tasks of one queue that are performed at a time. */
const QUEUE_SLOTS = 4;

/** How many tasks of each queue are being performed. */
const BUSY = `SELECT queue, count(*) AS taken FROM saga.tasks
  WHERE status = 'running' AND queue IS NOT NULL GROUP BY queue`;

/** The durable tasks: taken by one worker at a time, in the order in which they could be, and never lost with the worker. */
export class TaskStore {
  /** Tasks that are done and not yet noted to be. */
  private readonly ended = new Set<StoredTask>();
  private readonly noting = new SharedReading(() => this.noteDone());

  /** @param claims where tasks are taken: on the connection that shows the worker to be alive, if there is one */
  constructor(
    private readonly pool: Pool,
    private readonly claims: Asked = pool,
  ) {}

  /** Takes up to `limit` due tasks of these process managers for `worker`. */
  async take(worker: number, limit: number, processes: string[]): Promise<StoredTask[]> {
    const { rows } = await this.claims.query<StoredTask>(
      prepared(
        `WITH busy AS (${BUSY}), due AS (
         SELECT t.id, t.queue, t.due_at, coalesce(b.taken, 0) AS taken
         FROM saga.tasks t LEFT JOIN busy b USING (queue)
         WHERE t.status = 'pending' AND t.wakes_at <= now() AND t.process = ANY($3)
           AND coalesce(b.taken, 0) < ${QUEUE_SLOTS}
         ORDER BY t.wakes_at, t.due_at, t.id LIMIT $2 FOR UPDATE OF t SKIP LOCKED
       ), placed AS (
         SELECT id, queue, taken + row_number() OVER (PARTITION BY queue ORDER BY due_at, id) AS place FROM due
       )
       UPDATE saga.tasks t SET status = 'running', worker = $1, attempts = attempts + 1
       FROM placed p WHERE t.id = p.id AND (p.queue IS NULL OR p.place <= ${QUEUE_SLOTS}) RETURNING ${FIELDS}`,
        [worker, limit, processes],
      ),
    );
    return rows;
  }

  /** Ends a task, and stores those that it leads to. All that end at nearly the same time share a commit. */
  async done(task: StoredTask, following: readonly TaskRequest[] = []): Promise<void> {
    if (following.length === 0) {
      this.ended.add(task);
      return this.noting.read();
    }
    await inTransaction(this.pool, async (tx) => {
      const parent = traceParent() ?? task.traceParent;
      const event = { ...task, traceParent: parent };
      await insertTasks(tx, [{ process: task.process, event, requests: following }]);
      await endTasks(tx, [task]);
      await tx.query(`SELECT pg_notify('${TASKS_CHANNEL}', '')`);
    });
  }

  private async noteDone(): Promise<void> {
    const tasks = [...this.ended];
    this.ended.clear();
    await endTasks(this.pool, tasks);
  }

  /** Puts a task that asked for it back until `at` by the machine's clock. */
  async again(task: StoredTask, at: Instant): Promise<void> {
    await this.pool.query(
      `WITH again AS (
         UPDATE saga.tasks SET status = 'pending', worker = NULL, attempts = 1, last_error = NULL,
           due_at = $2, clock = 'system' WHERE id = $1
       ) SELECT pg_notify('${PROGRESS_CHANNEL}', $3)`,
      [task.id, at, task.accountId],
    );
  }

  /** Puts a task back for another attempt after `delayMillis`, or gives it up. */
  async failed(task: StoredTask, error: string, delayMillis: number | undefined): Promise<void> {
    await this.pool.query(
      `UPDATE saga.tasks SET status = $2, last_error = $3, not_before = now() + make_interval(secs => $4) WHERE id = $1`,
      [
        task.id,
        delayMillis === undefined ? 'failed' : 'pending',
        error.slice(0, 2_000),
        (delayMillis ?? 0) / 1_000,
      ],
    );
  }

  /** Gives the tasks of workers that are no longer there to others. A living worker holds an advisory lock. */
  async releaseAbandoned(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `UPDATE saga.tasks SET status = 'pending', worker = NULL
       WHERE status = 'running' AND worker NOT IN (
         SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = ${WORKER_LOCKS} AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    );
    return rowCount ?? 0;
  }

  /** Milliseconds until one of these process managers' tasks can be taken; undefined if none is waiting for time. */
  async untilNext(processes: string[]): Promise<number | undefined> {
    const { rows } = await this.claims.query<{ seconds: string }>(
      prepared(
        `WITH busy AS (${BUSY})
       SELECT extract(epoch FROM t.wakes_at - now()) AS seconds
       FROM saga.tasks t LEFT JOIN busy b USING (queue)
       WHERE t.status = 'pending' AND t.wakes_at < 'infinity' AND t.process = ANY($1)
         AND coalesce(b.taken, 0) < ${QUEUE_SLOTS}
       ORDER BY t.wakes_at LIMIT 1`,
        [processes],
      ),
    );
    return rows[0] && Math.max(0, Number(rows[0].seconds) * 1_000);
  }

  /** Tells the workers to look for work: a clock was moved. */
  async notifyWork(): Promise<void> {
    await this.pool.query(`SELECT pg_notify('${TASKS_CHANNEL}', '')`);
  }
}
