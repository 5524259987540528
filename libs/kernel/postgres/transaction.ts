import type { Pool, PoolClient } from 'pg';

/** Anything that can run a query: the pool, or a connection inside a transaction. */
export type Queryable = Pick<PoolClient, 'query'>;

/** Runs `work` in one transaction; rolls back and rethrows if it throws. A broken connection is discarded. */
export async function inTransaction<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two queries emits an error that would end the process if nobody heard it;
  // the next query fails with it all the same.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
