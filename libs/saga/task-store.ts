import type { Pool } from 'pg';
import { deriveId, SharedReading, type Instant } from '#libs/core';
import type { Position } from '#libs/event-store';
import { inTransaction, prepared, type Queryable } from '#libs/postgres';
import { traceParent } from '#libs/telemetry';
import type { Asked } from './lock-connection.js';
import type { Task, TaskRequest } from './process-manager.js';

/** Postgres notifications that tasks were stored or a workspace's clock was moved: there may be work. */
export const TASKS_CHANNEL = 'saga_tasks';
/** Postgres notifications of progress: of a task that was done, with its workspace's id, or {@link POSITION_MOVED}. */
export const PROGRESS_CHANNEL = 'saga_progress';
/** Payload on {@link PROGRESS_CHANNEL}: the reactions came further. */
export const POSITION_MOVED = 'position';

/** First key of the advisory locks that show which workers are alive. */
export const WORKER_LOCKS = 7_301;

/** A stored task with the process manager that it belongs to. */
export interface StoredTask extends Task {
  readonly process: string;
  /** The span that it comes of (W3C `traceparent`), where traces were made. */
  readonly traceParent?: string | null | undefined;
}

/** The tasks of one process manager that are not done. */
export interface Backlog {
  process: string;
  /** Not taken by a worker, whether or not their time has come. */
  waiting: number;
  /** Of these, whose time has come. */
  due: number;
  /** For how long the one that has waited longest could have been taken. */
  overdueSeconds: number;
  /** Failed too often to be tried again. */
  givenUp: number;
}

/** Another process wrote the checkpoint: this one is no longer the reactor. */
export class ReactorMoved extends Error {}

/** Due whatever the workspace's clock says: it may have been set back since the event. */
export const AT_ONCE: Instant = '1970-01-01T00:00:00.000Z';

const FIELDS = `t.id, t.process, t.name, t.account_id AS "accountId", t.payload, t.due_at AS "dueAt",
  t.attempts AS "attempt", t.event_id AS "eventId", t.correlation_id AS "correlationId",
  t.trace_parent AS "traceParent"`;

/** Tasks of a workspace's clock ($1) that are due and not finished. */
const UNFINISHED = `FROM saga.tasks t JOIN workspaces.clocks c USING (account_id)
  WHERE t.account_id = $1 AND t.clock = 'workspace' AND t.status IN ('pending', 'running')
    AND t.due_at <= coalesce(c.frozen_at, now())`;

/** Tasks of one queue that are performed at a time. */
const QUEUE_SLOTS = 4;

/** How many tasks of each queue are being performed. */
const BUSY = `SELECT queue, count(*) AS taken FROM saga.tasks
  WHERE status = 'running' AND queue IS NOT NULL GROUP BY queue`;

/** What a process manager wants to be done because of an event. */
export interface Reaction {
  process: string;
  event: Pick<StoredTask, 'eventId' | 'accountId' | 'correlationId' | 'traceParent'>;
  requests: readonly TaskRequest[];
}

/** Stores what events lead to. Storing it again changes nothing. */
export async function insertTasks(db: Queryable, reactions: readonly Reaction[]): Promise<void> {
  const rows = reactions.flatMap(({ process, event, requests }) =>
    requests.map((request) => ({
      id: deriveId('tsk', process, event.eventId, request.name, request.key ?? request.name),
      process,
      name: request.name,
      account_id: event.accountId,
      payload: request.payload,
      due_at: request.dueAt ?? AT_ONCE,
      clock: request.clock ?? 'workspace',
      queue: request.queue ?? null,
      event_id: event.eventId,
      correlation_id: event.correlationId,
      trace_parent: event.traceParent ?? null,
    })),
  );
  if (rows.length === 0) return;
  await db.query(
    prepared(
      `INSERT INTO saga.tasks
         (id, process, name, account_id, payload, due_at, clock, queue, event_id, correlation_id, trace_parent)
       SELECT id, process, name, account_id, payload, due_at, clock, queue, event_id, correlation_id, trace_parent
       FROM jsonb_populate_recordset(NULL::saga.tasks, $1) ON CONFLICT DO NOTHING`,
      [JSON.stringify(rows)],
    ),
  );
}

/** How far each process manager has read the log; undefined before its first event. */
export async function loadPositions(db: Queryable): Promise<Map<string, Position | undefined>> {
  const { rows } = await db.query<{ process: string; position: string | null }>(
    'SELECT process, position FROM saga.checkpoints',
  );
  return new Map(rows.map((row) => [row.process, row.position === null ? undefined : BigInt(row.position)]));
}

/** Starts a process manager's checkpoint; at the beginning, or where the others are if it is a later addition. */
export async function addCheckpoint(db: Queryable, process: string): Promise<void> {
  await db.query(
    `INSERT INTO saga.checkpoints (process, position)
     SELECT $1, (SELECT max(position) FROM saga.checkpoints) ON CONFLICT DO NOTHING`,
    [process],
  );
}

/** Moves the checkpoints of `processes` from where they were left. Throws {@link ReactorMoved} if they are elsewhere. */
export async function moveCheckpoints(
  db: Queryable,
  moved: { process: string; from: Position | undefined }[],
  to: Position,
): Promise<void> {
  const { rowCount } = await db.query(
    `UPDATE saga.checkpoints c SET position = $3
     FROM unnest($1::text[], $2::bigint[]) AS was (process, position)
     WHERE c.process = was.process AND c.position IS NOT DISTINCT FROM was.position`,
    [moved.map((one) => one.process), moved.map((one) => one.from?.toString() ?? null), to.toString()],
  );
  if (rowCount !== moved.length) throw new ReactorMoved('another saga process has moved the checkpoints');
}

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

  /** What there is to do, and what was given up, by process manager. */
  async backlog(): Promise<Backlog[]> {
    const { rows } = await this.pool.query<Backlog>(
      `SELECT process, count(*)::int AS waiting, count(*) FILTER (WHERE wakes_at <= now())::int AS due,
         coalesce(extract(epoch FROM now() - min(wakes_at) FILTER (WHERE wakes_at <= now())), 0)::float8
           AS "overdueSeconds", 0 AS "givenUp"
       FROM saga.tasks WHERE status = 'pending' GROUP BY process
       UNION ALL
       SELECT process, 0, 0, 0, count(*)::int FROM saga.tasks WHERE status = 'failed' GROUP BY process`,
    );
    return [...Map.groupBy(rows, ({ process }) => process).values()].map((parts) => parts.reduce(sum));
  }

  /** The earliest due time, up to `until`, of a waiting task on this workspace's clock. */
  async nextDue(accountId: string, until: Instant): Promise<Instant | undefined> {
    const { rows } = await this.pool.query<{ due: Instant | null }>(
      `SELECT min(due_at) AS due FROM saga.tasks
       WHERE account_id = $1 AND clock = 'workspace' AND status IN ('pending', 'running') AND due_at <= $2`,
      [accountId, until],
    );
    return rows[0]?.due ?? undefined;
  }

  /** Whether a task of this workspace's clock is due now and not finished. */
  async hasUnfinished(accountId: string): Promise<boolean> {
    const { rows } = await this.pool.query(prepared(`SELECT ${UNFINISHED} LIMIT 1`, [accountId]));
    return rows.length > 0;
  }

  /** Why a task of this workspace's clock that is due is not finished; undefined if none has failed. */
  async firstError(accountId: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ error: string }>(
      `SELECT t.name || ': ' || t.last_error AS error ${UNFINISHED} AND t.last_error IS NOT NULL
       ORDER BY error LIMIT 1`,
      [accountId],
    );
    return rows[0]?.error;
  }

  /** When a task of this workspace was last done, to the microsecond by the machine's clock; undefined if none was. */
  async lastDone(accountId: string): Promise<Instant | undefined> {
    const { rows } = await this.pool.query<{ last: Instant | null }>(
      `SELECT max(done_at) AS last FROM saga.tasks WHERE account_id = $1 AND status = 'done'`,
      [accountId],
    );
    return rows[0]?.last ?? undefined;
  }

  /** Whether a process manager has not yet read an event, or not yet finished the task `name` that it leads to. */
  async isUnderWay(
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

  /** Tells the workers to look for work: a clock was moved. */
  async notifyWork(): Promise<void> {
    await this.pool.query(`SELECT pg_notify('${TASKS_CHANNEL}', '')`);
  }
}

/** Only where the clock can be moved does anybody wait for progress, and commits that notify wait for each other. */
async function endTasks(db: Queryable, tasks: readonly StoredTask[]): Promise<void> {
  await db.query(
    prepared(
      `WITH done AS (UPDATE saga.tasks SET status = 'done', done_at = now(), last_error = NULL WHERE id = ANY($1))
       SELECT pg_notify('${PROGRESS_CHANNEL}', account_id) FROM workspaces.clocks
       WHERE account_id = ANY($2) AND mode = 'sandbox'`,
      [tasks.map(({ id }) => id), [...new Set(tasks.map(({ accountId }) => accountId))]],
    ),
  );
}

function sum(a: Backlog, b: Backlog): Backlog {
  return {
    process: a.process,
    waiting: a.waiting + b.waiting,
    due: a.due + b.due,
    overdueSeconds: a.overdueSeconds + b.overdueSeconds,
    givenUp: a.givenUp + b.givenUp,
  };
}
