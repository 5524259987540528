import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes mail that is not pending, `days` days after it was written, and returns the number of removed mails. Pending mail is never
 * removed, however old it is.
 */
export async function pruneMail(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM mail.messages WHERE id IN (
       SELECT id FROM mail.messages WHERE status <> 'pending' AND created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
