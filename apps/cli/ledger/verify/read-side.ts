import type { Pool, PoolClient, QueryResult } from 'pg';
import type { Position } from '#libs/kernel/domain';
import { loadCheckpoints, type Checkpoint } from '#libs/kernel/projection';

const PAGE = 1_000;

/**
 * The read models as they were at one moment, however long it takes to read them: rows and checkpoints of one snapshot,
 * so that the rows are what the events up to the checkpoint make, and nothing else.
 */
export class ReadSide {
  private cursors = 0;
  /** Settles when the connection has answered what was asked before. */
  private answered: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly tx: PoolClient,
    private readonly checkpoints: ReadonlyMap<string, Checkpoint>,
  ) {}

  static async open(pool: Pool): Promise<ReadSide> {
    const tx = await pool.connect();
    // A connection that is cut fails the next query; unheard, its error would end the process.
    tx.on('error', () => undefined);
    try {
      await tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return new ReadSide(tx, await loadCheckpoints(tx));
    } catch (error) {
      tx.release(true);
      throw error;
    }
  }

  /** The last event that is in a read model's rows; -1 before the first. */
  reached(projection: string): Position {
    return this.checkpoints.get(projection)?.position ?? -1n;
  }

  /** The rows of a query, as entities, a page at a time. */
  async *rows<Row>(sql: string): AsyncGenerator<Row> {
    const cursor = `rows_${++this.cursors}`;
    await this.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`);
    for (let fetched = PAGE; fetched === PAGE;) {
      const { rows } = await this.query(`FETCH ${PAGE} FROM ${cursor}`);
      for (const row of rows) yield entityOf(row) as Row;
      fetched = rows.length;
    }
    await this.query(`CLOSE ${cursor}`);
  }

  /** The rows of a query, as entities. */
  async find<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.query(sql, values);
    return rows.map((row) => entityOf(row) as Row);
  }

  close(): void {
    this.tx.release(true);
  }

  /** Checks run side by side, and the snapshot has one connection: each waits for those before it. */
  private query(sql: string, values: unknown[] = []): Promise<QueryResult<Record<string, unknown>>> {
    const answer = this.answered.then(() => this.tx.query<Record<string, unknown>>(sql, values));
    this.answered = answer.catch(() => undefined);
    return answer;
  }
}

/** Columns are the properties in snake_case. */
function entityOf(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
