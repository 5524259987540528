import type { Pool, PoolClient, QueryResult } from 'pg';
import type { Position } from '#libs/kernel/domain';
import { loadCheckpoints, type Checkpoint } from '#libs/kernel/projection';

const PAGE = 1_000;

/** The tables that the checks read. */
const READ_TABLES = [
  'read.audit',
  'read.invoices',
  'read.ledger_postings',
  'read.ledger_daily_balances',
  'read.subscriptions',
];

/** The condition for rows of the workspace `$1`, or of all workspaces if `$1` is null. */
export const OF_WORKSPACE = '($1::text IS NULL OR workspace_id = $1)';

/**
 * A snapshot of the read models. All rows and checkpoints are as of one moment, regardless of how long reading takes. The rows of a read
 * model therefore match exactly the events up to its checkpoint.
 */
export class ReadModelSnapshot {
  private cursors = 0;
  /** A promise that resolves when the connection has answered the previous query. */
  private answered: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly tx: PoolClient,
    private readonly checkpoints: ReadonlyMap<string, Checkpoint>,
  ) {}

  static async open(pool: Pool): Promise<ReadModelSnapshot> {
    const tx = await pool.connect();
    // After a lost connection the next query fails. Without a listener, the error event would end the process.
    tx.on('error', () => undefined);
    try {
      await tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // Rows of a table that a rebuild replaces after the snapshot are invisible in it. The swap of a rebuild waits for these locks.
      await tx.query(`LOCK TABLE ${READ_TABLES.join(', ')} IN ACCESS SHARE MODE`);
      return new ReadModelSnapshot(tx, await loadCheckpoints(tx));
    } catch (error) {
      tx.release(true);
      throw error;
    }
  }

  /** Returns the position of the last event that a read model has processed, or -1 if it has processed no event. */
  positionOf(projection: string): Position {
    return this.checkpoints.get(projection)?.position ?? -1n;
  }

  /**
   * Runs a query and yields its rows, as plain objects whose properties are the columns in camelCase. The rows are fetched in pages, because
   * the query can have many rows.
   */
  async *streamRows<Row>(sql: string, values: unknown[] = []): AsyncGenerator<Row> {
    const cursor = `rows_${++this.cursors}`;
    await this.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, values);
    for (let fetched = PAGE; fetched === PAGE;) {
      const { rows } = await this.query(`FETCH ${PAGE} FROM ${cursor}`);
      for (const row of rows) yield entityOf(row) as Row;
      fetched = rows.length;
    }
    await this.query(`CLOSE ${cursor}`);
  }

  /** Runs a query and returns all its rows at once, as plain objects whose properties are the columns in camelCase. */
  async findRows<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.query(sql, values);
    return rows.map((row) => entityOf(row) as Row);
  }

  close(): void {
    this.tx.release(true);
  }

  /** Runs a query after all earlier queries have ended. Checks run concurrently, but the snapshot has only one connection. */
  private query(sql: string, values: unknown[] = []): Promise<QueryResult<Record<string, unknown>>> {
    const answer = this.answered.then(() => this.tx.query<Record<string, unknown>>(sql, values));
    this.answered = answer.catch(() => undefined);
    return answer;
  }
}

/** Converts a row to an entity, by changing the column names from snake_case to camelCase. */
function entityOf(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
