import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes ended deliveries and their attempts when the delivery is `days` days old. Returns the number of removed deliveries. Pending
 * deliveries are kept at any age.
 */
export async function pruneDeliveries(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `WITH old AS (
       SELECT id FROM webhooks.deliveries WHERE status <> 'pending' AND created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT $2
     ), attempts AS (
       DELETE FROM webhooks.attempts WHERE delivery_id IN (SELECT id FROM old)
     )
     DELETE FROM webhooks.deliveries WHERE id IN (SELECT id FROM old)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
