import type { Pool, PoolClient, QueryResult } from 'pg';
import { Conflict, NotFound } from '#libs/kernel/core';
import type { Position } from '#libs/kernel/domain';
import type { CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { addTasks } from '#libs/kernel/saga';
import { newUlid } from '#libs/kernel/system';
import type { BooksJob, Run } from './books-job.js';

const LISTED = 100;

/** The columns that all jobs have. */
const COLUMNS =
  'id, workspace_id AS "workspaceId", status, run, head::text, position::text, error, created_at AS "createdAt", ended_at AS "endedAt"';

/** How jobs of one kind are stored and named. */
export interface BooksJobKind {
  /** The table in the schema `books`. */
  readonly table: 'exports' | 'verifications';
  /** The columns that only jobs of this kind have, as SQL. */
  readonly columns: string;
  /** The part of `columns` that a list of jobs has, as SQL. */
  readonly listedColumns: string;
  /** The name of the resource in messages, such as `books export`. */
  readonly resource: string;
  /** The process manager that does the work, and the name of its task. */
  readonly process: string;
  readonly task: string;
  /** The unique index that allows a workspace one job at a time, and the error if there is another one. */
  readonly oneAtATime: { readonly index: string; readonly code: string; readonly message: string };
}

/** What a new job of one kind stores, each part in the same transaction. */
export interface NewBooksJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly payload: object;
  /** Inserts the row of the job. Inserts none if the job is stored already. */
  readonly insert: (tx: PoolClient) => Promise<QueryResult>;
  /** Appends the event for the audit trail. */
  readonly record: () => Promise<unknown>;
}

/** Stores the jobs of one kind. `ListedJob` is a job without what a list leaves out. */
export abstract class BooksJobStore<Job extends ListedJob, ListedJob extends BooksJob = Job> {
  protected constructor(
    protected readonly pool: Pool,
    private readonly kind: BooksJobKind,
  ) {}

  /** Returns a job of the workspace. Throws NotFound if there is none, or if it was removed. */
  async require(workspaceId: string, id: string): Promise<Job> {
    const job = await this.find(id);
    if (job?.workspaceId !== workspaceId) throw NotFound.of(this.kind.resource, id);
    return job;
  }

  async find(id: string): Promise<Job | undefined> {
    const { table, columns } = this.kind;
    const { rows } = await this.pool.query<Job>(
      `SELECT ${COLUMNS}, ${columns} FROM books.${table} WHERE id = $1`,
      [id],
    );
    return rows[0];
  }

  /** The newest jobs of a workspace, newest first. */
  async list(workspaceId: string): Promise<ListedJob[]> {
    const { table, listedColumns } = this.kind;
    const { rows } = await this.pool.query<ListedJob>(
      `SELECT ${COLUMNS}, ${listedColumns} FROM books.${table} WHERE workspace_id = $1
       ORDER BY created_at DESC, id DESC LIMIT ${LISTED}`,
      [workspaceId],
    );
    return rows;
  }

  /** Begins a run, and removes what interrupted runs have left. Returns undefined if the job has ended or was removed. */
  async begin(id: string, head: Position): Promise<Run | undefined> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<Run>(
        `UPDATE books.${this.kind.table} SET status = 'running', run = run + 1, head = $2, position = 0
         WHERE id = $1 AND ended_at IS NULL RETURNING id, run`,
        [id, head],
      );
      await this.removePartialResult(tx, id);
      return rows[0];
    });
  }

  /** Stores the position up to which a run has read the log. Does nothing if another run has begun meanwhile. */
  async recordProgress({ id, run }: Run, position: Position): Promise<void> {
    await this.pool.query(`UPDATE books.${this.kind.table} SET position = $3 WHERE id = $1 AND run = $2`, [
      id,
      run,
      position,
    ]);
  }

  /** Ends a job that cannot be done. */
  async fail(id: string, error: string): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      await tx.query(
        `UPDATE books.${this.kind.table} SET status = 'failed', error = $2, ended_at = now()
         WHERE id = $1 AND ended_at IS NULL`,
        [id, error],
      );
      await this.removePartialResult(tx, id);
    });
  }

  /** Removes all jobs of a workspace, also those that are being done. */
  async removeOfWorkspace(workspaceId: string): Promise<void> {
    await this.pool.query(`DELETE FROM books.${this.kind.table} WHERE workspace_id = $1`, [workspaceId]);
  }

  /**
   * Stores a job, the event for the audit trail, and the task that does the work. If the job is stored already, it is returned as it is.
   * Throws Conflict if another job of this kind of the workspace has not ended.
   */
  protected async add(
    { id, workspaceId, payload, insert, record }: NewBooksJob,
    { correlationId }: CommandContext,
  ): Promise<Job> {
    const { process, task, oneAtATime } = this.kind;
    try {
      await inTransaction(this.pool, async (tx) => {
        const { rowCount } = await insert(tx);
        if (rowCount === 0) return;
        await addTasks(tx, process, { eventId: id, workspaceId, correlationId }, [
          // A job that was removed can be requested again with the same id, while its task that is done is still stored.
          { name: task, key: newUlid(), payload, clock: 'system' },
        ]);
        // Before the commit, so that no work is done without a record of its request.
        await record();
      });
    } catch (error) {
      if ((error as { constraint?: string }).constraint !== oneAtATime.index) throw error;
      throw new Conflict(oneAtATime.code, oneAtATime.message);
    }
    return this.require(workspaceId, id);
  }

  /** Removes what runs of a job have stored beside its row. */
  protected abstract removePartialResult(tx: PoolClient, id: string): Promise<void>;
}
