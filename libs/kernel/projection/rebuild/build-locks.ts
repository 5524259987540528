import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { tryLock, withLockConnection } from '#libs/kernel/postgres';

const RETRY_MILLIS = 500;

/** Another process is rebuilding or verifying the read model. */
export class BuildBusy extends Error {
  constructor(readonly projection: string) {
    super(`"${projection}" is being rebuilt or verified by another process`);
  }
}

/** The SQL expression for the key of the lock for building a projection; `name` is an SQL expression too. */
export const buildLockKeySql = (name: string): string =>
  `hashtextextended('projection build ' || ${name}, 0)`;

/**
 * Runs `work` on the builds of the projections in `names`, and locks the builds against other processes. If another process is working on
 * one of the builds, the function waits (with `waitForOtherBuilds`) or throws {@link BuildBusy}. Rejects if the connection with the locks
 * is lost. The `signal` of the work is aborted when that connection is lost or the caller's signal is aborted.
 */
export async function withBuildLocks<T>(
  pool: Pool,
  names: readonly string[],
  { waitForOtherBuilds, signal }: { waitForOtherBuilds: boolean; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withLockConnection(pool, signal, async (connection, both) => {
    for (const name of names) await lock(connection, name, waitForOtherBuilds, signal);
    return work(both);
  });
}

async function lock(
  connection: PoolClient,
  name: string,
  waits: boolean,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    if (await tryLock(connection, buildLockKeySql('$1'), [name])) return;
    if (!waits) throw new BuildBusy(name);
    await delay(RETRY_MILLIS, undefined, { signal });
  }
}
