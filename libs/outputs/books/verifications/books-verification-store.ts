import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import type { Run } from '../jobs/books-job.js';
import { BooksJobStore } from '../jobs/books-job-store.js';
import type {
  BooksVerification,
  BooksVerificationResult,
  ListedBooksVerification,
} from './books-verification.js';
import { booksVerificationDecider } from './books-verification-requests.js';

/** The process manager that verifies the books. */
export const BOOKS_VERIFICATION_PROCESS = 'books-verification';

/** Stores verifications of the books and their results. */
@Injectable()
export class BooksVerificationStore extends BooksJobStore<BooksVerification, ListedBooksVerification> {
  constructor(
    pool: Pool,
    private readonly aggregates: AggregateStore,
  ) {
    super(pool, {
      table: 'verifications',
      columns: 'result',
      // The differences of 100 verifications can be many megabytes.
      listedColumns: `(SELECT json_object_agg(key, value) FROM json_each(result) WHERE key <> 'differences') AS result`,
      resource: 'books verification',
      process: BOOKS_VERIFICATION_PROCESS,
      task: 'verify',
      oneAtATime: {
        index: 'verifications_one_at_a_time',
        code: 'books_verification_in_progress',
        message:
          'The books of this workspace are being verified; wait for the end, which GET /v1/ledger/verifications shows',
      },
    });
  }

  /**
   * Stores a verification, the event for the audit trail, and the task that verifies. If the verification is stored already, it is returned
   * as it is. Throws Conflict (`books_verification_in_progress`) if another verification of the workspace has not ended.
   */
  async create(id: string, context: CommandContext): Promise<BooksVerification> {
    const { workspaceId, now } = context;
    const command = { type: 'RequestBooksVerification', verificationId: id, at: now } as const;
    return this.add(
      {
        id,
        workspaceId,
        payload: { verificationId: id },
        insert: (tx) =>
          tx.query(
            'INSERT INTO books.verifications (id, workspace_id) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
            [id, workspaceId],
          ),
        record: () =>
          this.aggregates.execute(booksVerificationDecider, aggregateId(workspaceId, id), context, command),
      },
      context,
    );
  }

  /** Ends a run with its result. Does nothing if another run has begun meanwhile. */
  async complete({ id, run }: Run, result: BooksVerificationResult): Promise<void> {
    await this.pool.query(
      `UPDATE books.verifications SET status = 'done', position = head, result = $3, ended_at = now()
       WHERE id = $1 AND run = $2 AND ended_at IS NULL`,
      [id, run, JSON.stringify(result)],
    );
  }

  /** A verification stores nothing beside its row. */
  protected override removePartialResult(): Promise<void> {
    return Promise.resolve();
  }
}
