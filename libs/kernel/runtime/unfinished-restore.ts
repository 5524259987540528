import type { ClientBase, Pool } from 'pg';

/** A schema without tables, which stands in a database for as long as its restore has not come to its end. */
export const UNFINISHED_RESTORE = 'unfinished_restore';

/** What is said of a database whose restore has not come to its end, with the remedy. */
export const HALF_RESTORED =
  'A restore of this database was not finished. Run "countinghouse restore" again, which begins it anew, or drop the database';

/**
 * Throws an error with a one-line message when a restore of the database has not ended. Rows are still missing then, and the end of the
 * restore would remove what a program writes meanwhile.
 */
export async function requireRestored(database: ClientBase | Pool): Promise<void> {
  if (await isHalfRestored(database)) throw new Error(HALF_RESTORED);
}

/** Whether a restore of the database has not come to its end. */
export async function isHalfRestored(database: ClientBase | Pool): Promise<boolean> {
  const { rowCount } = await database.query('SELECT FROM pg_namespace WHERE nspname = $1', [
    UNFINISHED_RESTORE,
  ]);
  return rowCount !== 0;
}
