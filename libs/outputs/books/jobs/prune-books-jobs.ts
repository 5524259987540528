import type { Queryable } from '#libs/kernel/postgres';
import type { BooksJobKind } from './books-job-store.js';

/** Removes the jobs of a table with their results, `days` days after their end, and returns their number. */
export function pruneBooksJobs(
  table: BooksJobKind['table'],
): (db: Queryable, days: number, limit: number) => Promise<number> {
  return async (db, days, limit) => {
    const { rowCount } = await db.query(
      `DELETE FROM books.${table} WHERE id IN (
         SELECT id FROM books.${table} WHERE ended_at < now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2)`,
      [days, limit],
    );
    return rowCount ?? 0;
  };
}
