import type { Queryable } from '#libs/kernel/postgres';

/**
 * Returns a function that removes at most `limit` rows of an identity table that expired at least `days` days ago. The function returns the
 * number of removed rows.
 *
 * @param key the primary key of the table
 */
export function createExpiredRowsPruner(
  table: string,
  key: string,
): (db: Queryable, days: number, limit: number) => Promise<number> {
  return async (db, days, limit) => {
    const { rowCount } = await db.query(
      `DELETE FROM identity.${table} WHERE ${key} IN (
         SELECT ${key} FROM identity.${table} WHERE expires_at < now() - make_interval(days => $1)
         ORDER BY expires_at LIMIT $2)`,
      [days, limit],
    );
    return rowCount ?? 0;
  };
}
