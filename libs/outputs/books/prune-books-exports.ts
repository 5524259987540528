import type { Queryable } from '#libs/kernel/postgres';

/** Removes exports with their files, `days` days after their end, and returns their number. */
export async function pruneBooksExports(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM books.exports WHERE id IN (
       SELECT id FROM books.exports WHERE ended_at < now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
