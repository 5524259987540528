import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';

const RETRY_MILLIS = 500;

/** Another process rebuilds or verifies the read model. */
export class BuildBusy extends Error {
  constructor(readonly projection: string) {
    super(`"${projection}" is being rebuilt or verified by another process`);
  }
}

/** SQL of the lock that whoever builds a projection holds; `name` is SQL too. */
export const buildLockSql = (name: string): string => `hashtextextended('projection build ' || ${name}, 0)`;

/**
 * Does work on builds of these projections that nobody else works on meanwhile. If somebody else does, waits for them
 * (`wait`) or throws {@link BuildBusy}. Rejects when the connection with the locks is lost: `signal` of the work is then
 * aborted, as it is with the caller's.
 */
export async function withBuildLocks<T>(
  pool: Pool,
  names: readonly string[],
  { wait, signal }: { wait: boolean; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  const ended = new AbortController();
  const lost = new Promise<never>((_, reject) => connection.on('error', reject));
  lost.catch((error: unknown) => ended.abort(error));
  try {
    for (const name of names) await lock(connection, name, wait, signal);
    return await Promise.race([work(AbortSignal.any([signal, ended.signal])), lost]);
  } finally {
    // Postgres frees the locks of a connection a moment after it was closed: who comes next would find them held.
    await connection.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    // Closed in any case, which frees them where it broke.
    connection.release(true);
  }
}

async function lock(connection: PoolClient, name: string, wait: boolean, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_lock(${buildLockSql('$1')}) AS locked`,
      [name],
    );
    if (rows[0]!.locked) return;
    if (!wait) throw new BuildBusy(name);
    await delay(RETRY_MILLIS, undefined, { signal });
  }
}
