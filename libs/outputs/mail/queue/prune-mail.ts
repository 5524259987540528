import type { Queryable } from '#libs/kernel/postgres';

/** Removes ended mail, this number of days after it was written, and returns how many. Pending mail stays at any age. */
export async function pruneMail(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM mail.messages WHERE id IN (
       SELECT id FROM mail.messages WHERE status <> 'pending' AND created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
