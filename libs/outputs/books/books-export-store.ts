import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Conflict, NotFound } from '#libs/kernel/core';
import { aggregateId, type Position } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { addTasks } from '#libs/kernel/saga';
import type { LedgerTransaction } from '#libs/contexts/ledger';
import type { BooksExport, BooksExportRequest } from './books-export.js';
import { booksExportDecider } from './books-export-requests.js';

/** The process manager that makes the files. */
export const BOOKS_PROCESS = 'books';
const ONE_AT_A_TIME = 'exports_one_at_a_time';
const LISTED = 100;
const PAGE = 1_000;

const COLUMNS = `id, workspace_id AS "workspaceId", format, since_moment AS since, until_moment AS until, last_instant AS last, status, run,
  head::text, position::text, transactions, bytes::float8, error, created_at AS "createdAt", ended_at AS "endedAt"`;

/** A transaction of an export as it is stored. `number` counts the transactions of the run. */
export interface NumberedTransaction {
  readonly number: number;
  readonly transaction: LedgerTransaction;
}

/** The run that makes a file. */
export type Run = Pick<BooksExport, 'id' | 'run'>;

/** An export whose file is read. */
export type OpenedExport = Pick<BooksExport, 'id' | 'run' | 'bytes'>;

/** Stores exports of the books, the transactions that wait to be written, and the files. */
@Injectable()
export class BooksExportStore {
  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
  ) {}

  /**
   * Stores an export, the event for the audit trail, and the task that makes its file. If the export is stored already, it is returned as
   * it is. Throws Conflict (`books_export_in_progress`) if another export of the workspace has not ended.
   */
  async create(
    { id, workspaceId, format, since, until, last }: BooksExportRequest,
    context: CommandContext,
  ): Promise<BooksExport> {
    const { now: at, correlationId } = context;
    try {
      await inTransaction(this.pool, async (tx) => {
        const { rowCount } = await tx.query(
          `INSERT INTO books.exports (id, workspace_id, format, since_moment, until_moment, last_instant)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
          [id, workspaceId, format, since, until, last],
        );
        if (rowCount === 0) return;
        await addTasks(tx, BOOKS_PROCESS, { eventId: id, workspaceId, correlationId }, [
          { name: 'export', payload: { exportId: id }, clock: 'system' },
        ]);
        // Before the commit, so that no file is made without a record of its request.
        const command = { type: 'RequestBooksExport', exportId: id, at, format, since, until } as const;
        await this.aggregates.execute(booksExportDecider, aggregateId(workspaceId, id), context, command);
      });
    } catch (error) {
      if ((error as { constraint?: string }).constraint !== ONE_AT_A_TIME) throw error;
      throw new Conflict(
        'books_export_in_progress',
        'Another export of the books of this workspace is being made; wait for its end, which GET /v1/ledger/exports shows',
      );
    }
    return this.require(workspaceId, id);
  }

  /** Returns an export of the workspace. Throws NotFound if there is none, or if it was removed. */
  async require(workspaceId: string, id: string): Promise<BooksExport> {
    const found = await this.find(id);
    if (found?.workspaceId !== workspaceId) throw NotFound.of('books export', id);
    return found;
  }

  async find(id: string): Promise<BooksExport | undefined> {
    const { rows } = await this.pool.query<BooksExport>(
      `SELECT ${COLUMNS} FROM books.exports WHERE id = $1`,
      [id],
    );
    return rows[0];
  }

  /** The newest exports of a workspace, newest first. */
  async list(workspaceId: string): Promise<BooksExport[]> {
    const { rows } = await this.pool.query<BooksExport>(
      `SELECT ${COLUMNS} FROM books.exports WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${LISTED}`,
      [workspaceId],
    );
    return rows;
  }

  /** Begins a run, and removes what interrupted runs have left. Returns undefined if the export has ended or was removed. */
  async begin(id: string, head: Position): Promise<Run | undefined> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<Run>(
        `UPDATE books.exports SET status = 'running', run = run + 1, head = $2, position = 0
         WHERE id = $1 AND ended_at IS NULL RETURNING id, run`,
        [id, head],
      );
      for (const table of ['transactions', 'parts'])
        await tx.query(`DELETE FROM books.${table} WHERE export_id = $1`, [id]);
      return rows[0];
    });
  }

  async recordProgress({ id, run }: Run, position: Position): Promise<void> {
    await this.pool.query('UPDATE books.exports SET position = $3 WHERE id = $1 AND run = $2', [
      id,
      run,
      position,
    ]);
  }

  async addTransactions({ id, run }: Run, transactions: readonly NumberedTransaction[]): Promise<void> {
    await this.pool.query(
      `INSERT INTO books.transactions (export_id, run, date, at, position, number, content)
       SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::bigint[], $6::int[], $7::text[])`,
      [
        id,
        run,
        transactions.map(({ transaction }) => transaction.date),
        transactions.map(({ transaction }) => transaction.at),
        transactions.map(({ transaction }) => transaction.event.position),
        transactions.map(({ number }) => number),
        transactions.map(({ transaction }) => JSON.stringify(transaction)),
      ],
    );
  }

  /** Yields the transactions of a run by booking date, then by the instant of their effect. Each page is read when it is needed. */
  async *transactions({ id, run }: Run): AsyncGenerator<LedgerTransaction> {
    let after: (string | number)[] = ['', '', -1, -1];
    for (;;) {
      const { rows } = await this.pool.query<{
        date: string;
        at: string;
        position: string;
        number: number;
        content: string;
      }>(
        `SELECT date, at, position::text, number, content FROM books.transactions
         WHERE export_id = $1 AND run = $2 AND (date, at, position, number) > ($3, $4, $5::bigint, $6::int)
         ORDER BY date, at, books.transactions.position, number LIMIT ${PAGE}`,
        [id, run, ...after],
      );
      for (const { content } of rows) yield JSON.parse(content) as LedgerTransaction;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = [last.date, last.at, last.position, last.number];
    }
  }

  async addPart({ id, run }: Run, number: number, content: Buffer): Promise<void> {
    await this.pool.query(
      'INSERT INTO books.parts (export_id, run, number, content) VALUES ($1, $2, $3, $4)',
      [id, run, number, content],
    );
  }

  /** Ends a run whose file is whole. Does nothing if another run has begun meanwhile. */
  async complete({ id, run }: Run, file: { transactions: number; bytes: number }): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      await tx.query(
        `UPDATE books.exports SET status = 'done', position = head, transactions = $3, bytes = $4, ended_at = now()
         WHERE id = $1 AND run = $2 AND ended_at IS NULL`,
        [id, run, file.transactions, file.bytes],
      );
      await tx.query('DELETE FROM books.transactions WHERE export_id = $1 AND run = $2', [id, run]);
    });
  }

  /** Ends an export that cannot be made. */
  async fail(id: string, error: string): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      await tx.query(
        `UPDATE books.exports SET status = 'failed', error = $2, ended_at = now() WHERE id = $1 AND ended_at IS NULL`,
        [id, error],
      );
      for (const table of ['transactions', 'parts'])
        await tx.query(`DELETE FROM books.${table} WHERE export_id = $1`, [id]);
    });
  }

  /**
   * Opens the file of an export that is done. The first part is read at once, and each further part when it is needed. Throws NotFound if
   * the export was removed meanwhile. If it is removed later, the returned generator throws: a file never ends before its last byte.
   */
  async openFile({ id, run, bytes }: OpenedExport): Promise<AsyncGenerator<Buffer>> {
    const first = await this.part({ id, run }, 0);
    if (first === undefined) throw NotFound.of('books export', id);
    return this.parts({ id, run }, first, bytes!);
  }

  private async *parts(run: Run, first: Buffer, bytes: number): AsyncGenerator<Buffer> {
    yield first;
    let sent = first.length;
    for (let number = 1; sent < bytes; number++) {
      const part = await this.part(run, number);
      if (part === undefined)
        throw new Error(`The books export ${run.id} was removed while its file was being sent`);
      yield part;
      sent += part.length;
    }
  }

  private async part({ id, run }: Run, number: number): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ content: Buffer }>(
      'SELECT content FROM books.parts WHERE export_id = $1 AND run = $2 AND number = $3',
      [id, run, number],
    );
    return rows[0]?.content;
  }

  /** Removes all exports of a workspace, also those that are being made. */
  async removeOfWorkspace(workspaceId: string): Promise<void> {
    await this.pool.query('DELETE FROM books.exports WHERE workspace_id = $1', [workspaceId]);
  }
}
