import type { Queryable } from '#libs/kernel/postgres';

/** The SQL key of the lock that the active projector holds. */
export const PROJECTOR_LOCK_KEY_SQL = `hashtextextended('projector', 0)`;

/** Prevents projectors from starting work until the transaction ends. Returns false if a projector is active. */
export async function tryLockOutProjectors(tx: Queryable): Promise<boolean> {
  const { rows } = await tx.query<{ free: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${PROJECTOR_LOCK_KEY_SQL}) AS free`,
  );
  return rows[0]!.free;
}

/** The SQL that tells whether somebody holds an advisory lock; `key` is the SQL of its key. pg_locks shows the key in two halves. */
export const isLockedSql = (key: string): string =>
  `EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND (classid::bigint << 32 | objid::bigint) = ${key})`;
