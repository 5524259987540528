import type { Queryable } from '#libs/postgres';

/** SQL of the lock that the one projector at work holds. */
export const PROJECTOR_LOCK = `hashtextextended('projector', 0)`;

/** Keeps projectors out until the transaction ends; false if one is at work. */
export async function keepProjectorsOut(tx: Queryable): Promise<boolean> {
  const { rows } = await tx.query<{ free: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${PROJECTOR_LOCK}) AS free`,
  );
  return rows[0]!.free;
}
