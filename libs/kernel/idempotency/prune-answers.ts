import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes answers that were given more than so many days ago; returns how many. A request that comes with its key again
 * runs under the same command id as before, which its events are known by: it finds what it did, and does it not again.
 */
export async function pruneAnswers(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM idempotency.answers WHERE (workspace_id, scope, key) IN (
       SELECT workspace_id, scope, key FROM idempotency.answers WHERE created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
