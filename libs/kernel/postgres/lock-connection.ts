import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Queryable } from './transaction.js';

/** How long an unresponsive connection is given to release its locks. */
const UNLOCK_MILLIS = 1_000;

/**
 * Does work that is guarded by advisory locks on a connection of its own. The locks are free when it is over. Rejects as soon as the
 * connection is lost, since another process may have the locks then.
 *
 * @param work its `signal` is aborted with the caller's, when the connection is lost, and at the end
 */
export async function withLockConnection<T>(
  pool: Pool,
  signal: AbortSignal,
  work: (connection: PoolClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  const ended = new AbortController();
  const lost = new Promise<never>((_, reject) => connection.on('error', reject));
  lost.catch((error: unknown) => ended.abort(error));
  try {
    const result = work(connection, AbortSignal.any([signal, ended.signal]));
    // It is heard of no more once the connection was lost.
    result.catch(() => undefined);
    return await Promise.race([result, lost]);
  } finally {
    ended.abort();
    // Postgres frees the locks of a connection a moment after it was closed: who comes next would find them held.
    await Promise.race([
      connection.query('SELECT pg_advisory_unlock_all()').catch(() => undefined),
      delay(UNLOCK_MILLIS, undefined, { ref: false }),
    ]);
    // Closed in any case, which frees them where it broke.
    connection.release(true);
  }
}

/**
 * Takes an advisory lock, if nobody has it; answers whether it has it now.
 *
 * @param key its SQL; `values` are its parameters
 */
export async function tryLock(db: Queryable, key: string, values: unknown[] = []): Promise<boolean> {
  const { rows } = await db.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(${key}) AS locked`,
    values,
  );
  return rows[0]!.locked;
}
