import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes deliveries that have come to an end, with their attempts, so many days after their event; returns how many. Those
 * that are still to be attempted stay, whatever their age.
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
