import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { tryLock, withLockConnection } from '#libs/kernel/postgres';

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
 * Does work on builds of these projections that nobody else works on meanwhile. If somebody else does, waits for them (`wait`) or throws
 * {@link BuildBusy}. Rejects when the connection with the locks is lost. The `signal` of the work is aborted then, and when the caller's
 * signal is.
 */
export async function withBuildLocks<T>(
  pool: Pool,
  names: readonly string[],
  { wait, signal }: { wait: boolean; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withLockConnection(pool, signal, async (connection, both) => {
    for (const name of names) await lock(connection, name, wait, signal);
    return work(both);
  });
}

async function lock(connection: PoolClient, name: string, wait: boolean, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (await tryLock(connection, buildLockSql('$1'), [name])) return;
    if (!wait) throw new BuildBusy(name);
    await delay(RETRY_MILLIS, undefined, { signal });
  }
}
