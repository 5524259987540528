import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import type { LedgerTransaction } from '#libs/contexts/ledger';
import type { Run } from '../jobs/books-job.js';
import { BooksJobStore } from '../jobs/books-job-store.js';
import type { BooksExport, BooksExportRequest } from './books-export.js';
import { booksExportDecider } from './books-export-requests.js';

const COLUMNS =
  'format, since_moment AS since, until_moment AS until, last_instant AS last, transactions, bytes::float8';

/** The process manager that makes the files. */
export const BOOKS_EXPORT_PROCESS = 'books';
const PAGE = 1_000;

/** A transaction of an export as it is stored. `number` counts the transactions of the run. */
export interface NumberedTransaction {
  readonly number: number;
  readonly transaction: LedgerTransaction;
}

/** An export whose file is read. */
export type OpenedExport = Pick<BooksExport, 'id' | 'run' | 'bytes'>;

/** Stores exports of the books, the transactions that wait to be written, and the files. */
@Injectable()
export class BooksExportStore extends BooksJobStore<BooksExport> {
  constructor(
    pool: Pool,
    private readonly aggregates: AggregateStore,
  ) {
    super(pool, {
      table: 'exports',
      columns: COLUMNS,
      listedColumns: COLUMNS,
      resource: 'books export',
      process: BOOKS_EXPORT_PROCESS,
      task: 'export',
      oneAtATime: {
        index: 'exports_one_at_a_time',
        code: 'books_export_in_progress',
        message:
          'Another export of the books of this workspace is being made; wait for its end, which GET /v1/ledger/exports shows',
      },
    });
  }

  /**
   * Stores an export, the event for the audit trail, and the task that makes its file. If the export is stored already, it is returned as
   * it is. Throws Conflict (`books_export_in_progress`) if another export of the workspace has not ended.
   */
  async create(
    { id, workspaceId, format, since, until, last }: BooksExportRequest,
    context: CommandContext,
  ): Promise<BooksExport> {
    const command = {
      type: 'RequestBooksExport',
      exportId: id,
      at: context.now,
      format,
      since,
      until,
    } as const;
    return this.add(
      {
        id,
        workspaceId,
        payload: { exportId: id },
        insert: (tx) =>
          tx.query(
            `INSERT INTO books.exports (id, workspace_id, format, since_moment, until_moment, last_instant)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
            [id, workspaceId, format, since, until, last],
          ),
        record: () =>
          this.aggregates.execute(booksExportDecider, aggregateId(workspaceId, id), context, command),
      },
      context,
    );
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

  protected override async removePartialResult(tx: PoolClient, id: string): Promise<void> {
    for (const table of ['transactions', 'parts'])
      await tx.query(`DELETE FROM books.${table} WHERE export_id = $1`, [id]);
  }
}
