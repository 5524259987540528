import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** A pool, or one connection of several who ask. */
export interface Asked {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>>;
}

/**
 * The connection that holds a saga process's locks. Tasks are taken on it too, so that who has lost the locks can take none.
 * Its questions are put one after the other.
 */
export class LockConnection implements Asked {
  private last: Promise<unknown>;

  constructor(private readonly client: PoolClient) {
    // The plan must return the first timers quickly. Postgres guesses that there is hardly any, and would rather fetch and sort them all
    // each time than follow the index that has them in order. One plan is as good for all values then; by itself it would plan each look
    // anew.
    this.last = client.query("SET enable_bitmapscan = off; SET plan_cache_mode = 'force_generic_plan'");
    this.last.catch(() => undefined);
  }

  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>> {
    const result = this.last.then(() => this.client.query<Row>(query));
    this.last = result.catch(() => undefined);
    return result;
  }
}
