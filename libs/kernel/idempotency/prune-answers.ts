import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes at most `limit` answers that are older than `days` days, and returns the number of removed answers. A later request with the key
 * of a removed answer has the same command id as before. A request whose command id has run before appends no events, so it has no further
 * effect.
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
