import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** A pool, or one connection that several callers share. */
export interface PoolOrConnection {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>>;
}

/**
 * The connection that holds a saga process's locks. Tasks are taken on the same connection as the locks, so a process that has lost its
 * locks cannot take any tasks. Queries on this connection run one after another.
 */
export class SagaLockConnection implements PoolOrConnection {
  private last: Promise<unknown>;

  constructor(private readonly client: PoolClient) {
    // The plan must quickly find the tasks that become due next. Postgres expects hardly any such tasks. Without the first setting, it
    // would fetch and sort all of them each time, although the index has them in order. One plan is good for all values. Without the second
    // setting, Postgres would plan each query again.
    this.last = client.query("SET enable_bitmapscan = off; SET plan_cache_mode = 'force_generic_plan'");
    this.last.catch(() => undefined);
  }

  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>> {
    const result = this.last.then(() => this.client.query<Row>(query));
    this.last = result.catch(() => undefined);
    return result;
  }
}
