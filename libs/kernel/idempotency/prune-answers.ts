import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes answers that are older than this number of days, and returns how many. A later request with the same key runs under the same
 * command id as before. Its events are known by that id, so it has no further effect.
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
