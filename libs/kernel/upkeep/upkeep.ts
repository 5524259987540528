import type { Pool } from 'pg';
import { BackgroundWorker } from '#libs/kernel/app';
import { sleep, type Logger } from '#libs/kernel/system';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { createCounter } from '#libs/kernel/telemetry';

/** Data that is deleted after some time. */
export interface Retention {
  /** The name of the table, for log messages and metrics. */
  readonly table: string;
  /** The time for which the data is kept, in days of the machine's clock. */
  readonly days: number;
  /** Removes up to `limit` rows that are older than this number of days, and returns how many. */
  prune(db: Queryable, days: number, limit: number): Promise<number>;
}

const HOUR_MILLIS = 3_600_000;
/**
 * The number of rows that one transaction deletes. The number is small, so that a transaction takes only some milliseconds and delays
 * neither other queries nor Postgres' vacuum.
 */
const BATCH = 1_000;

const removedRows = createCounter(
  'upkeep_removed_rows_total',
  'Rows that were removed since they had been kept for long enough',
  ['table'],
);

/** Removes data whose retention has ended, every hour. Several processes may run the upkeep; each batch is removed by one process. */
export class Upkeep extends BackgroundWorker {
  override readonly name = 'upkeep';

  constructor(
    private readonly retentions: readonly Retention[],
    private readonly pool: Pool,
    private readonly batch = BATCH,
  ) {
    super();
  }

  /** Runs until `signal` is aborted. Never rejects. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    while (!signal.aborted) {
      await this.removeOldDataOnce(signal, logger);
      await sleep(HOUR_MILLIS, signal);
    }
  }

  /** Goes through every table once. An error is logged, and the removal is tried again in the next round. */
  async removeOldDataOnce(signal: AbortSignal, logger: Logger): Promise<void> {
    for (const retention of this.retentions) {
      try {
        await this.prune(retention, signal);
      } catch (error) {
        logger.warn({ err: error, table: retention.table }, 'removing old data failed');
      }
    }
  }

  /** Removes batch after batch, until nothing is left or another process is removing rows. */
  private async prune(retention: Retention, signal: AbortSignal): Promise<void> {
    for (let removed: number | undefined = this.batch; removed === this.batch && !signal.aborted;) {
      removed = await this.pruneBatch(retention);
      if (removed) removedRows.inc({ table: retention.table }, removed);
    }
  }

  /** Returns the number of removed rows, or undefined if another process is removing them. */
  private pruneBatch(retention: Retention): Promise<number | undefined> {
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<{ locked: boolean }>(
        `SELECT pg_try_advisory_xact_lock(hashtextextended('upkeep', 0)) AS locked`,
      );
      return rows[0]?.locked ? retention.prune(tx, retention.days, this.batch) : undefined;
    });
  }
}
