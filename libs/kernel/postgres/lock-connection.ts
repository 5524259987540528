import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { Backoff, sleep } from '#libs/kernel/system';
import { retryUntilDone } from './retry-until-done.js';
import type { Queryable } from './transaction.js';

/** The maximum wait for a connection to release its locks. After this wait the connection is closed, and the server releases its locks. */
const UNLOCK_MILLIS = 1_000;
/** The maximum time for which a connection is requested again while the server or the pool is too busy. */
const CONNECT_MILLIS = 60_000;
/**
 * The errors of a pool in which no connection became free in time, or for which the server accepted no new connection in time. The pattern
 * matches their messages, because these errors have no code.
 */
const NO_CONNECTION_IN_TIME =
  /^(?:timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;
/** The pause between two attempts to take a lock that another process has. */
const RETRY_MILLIS = 1_000;

/**
 * Runs `work` with a separate connection, on which `work` takes its advisory locks. The locks are released when the connection ends.
 * Rejects as soon as the connection is lost, since another process can then take the locks.
 *
 * @param work its `signal` is aborted with the caller's signal, when the connection is lost, and at the end
 */
export async function withLockConnection<T>(
  pool: Pool,
  signal: AbortSignal,
  work: (connection: PoolClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const connection = await connect(pool, signal);
  const ended = new AbortController();
  const lost = new Promise<never>((_, reject) => connection.on('error', reject));
  lost.catch((error: unknown) => ended.abort(error));
  try {
    const result = work(connection, AbortSignal.any([signal, ended.signal]));
    // The result is ignored if the connection was lost before.
    result.catch(() => undefined);
    return await Promise.race([result, lost]);
  } finally {
    ended.abort();
    // Postgres frees the locks only a moment after the connection closes, and the next caller could find them locked. They are therefore
    // released before.
    await Promise.race([
      connection.query('SELECT pg_advisory_unlock_all()').catch(() => undefined),
      delay(UNLOCK_MILLIS, undefined, { ref: false }),
    ]);
    // The connection is closed in any case, which frees the locks if it broke.
    connection.release(true);
  }
}

/** After a timeout, the connection is requested again, since nothing is locked yet. After another error, it is not requested again. */
async function connect(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  const patience = new Backoff(CONNECT_MILLIS);
  const mayCome = (error: unknown): boolean =>
    NO_CONNECTION_IN_TIME.test((error as Error).message) && !patience.isOver;
  return retryUntilDone(signal, () => pool.connect(), undefined, mayCome);
}

/**
 * Takes an advisory lock if nobody has it. Returns true if this connection now has the lock.
 *
 * @param key the SQL expression for the key of the lock; `values` are the parameters of the expression
 */
export async function tryLock(db: Queryable, key: string, values: unknown[] = []): Promise<boolean> {
  const { rows } = await db.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(${key}) AS locked`,
    values,
  );
  return rows[0]!.locked;
}

/** Repeats the attempt to take a lock until the attempt succeeds. Returns false if `signal` is aborted first. */
export async function waitForLock(tryOnce: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await tryOnce()) return true;
    await sleep(RETRY_MILLIS, signal);
  }
  return false;
}
