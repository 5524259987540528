import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes at most `limit` answers that are older than `days` days, and returns the number of removed answers. If the request of a removed
 * answer is sent again with its idempotency key, it has the same command id as the first time. A command whose id has run before appends no
 * events. If the request created an API key or a portal session, that credential gets a new secret, and its old secret is refused.
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
