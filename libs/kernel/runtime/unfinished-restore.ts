import type { ClientBase, Pool } from 'pg';

/** The name of an empty schema that exists in a database until its restore is finished. */
export const UNFINISHED_RESTORE_SCHEMA = 'unfinished_restore';

/** The error message for a database whose restore has not finished, with the remedy. */
export const RESTORE_UNFINISHED_MESSAGE =
  'A restore of this database was not finished. Run "countinghouse restore" again, which starts from the beginning, or drop the database';

/**
 * Throws an error with a one-line message if a restore of the database is not finished. The database still lacks rows. The restore empties
 * the tables before it fills them, so it would delete rows that a program adds meanwhile.
 */
export async function requireFinishedRestore(database: ClientBase | Pool): Promise<void> {
  if (await isRestoreUnfinished(database)) throw new Error(RESTORE_UNFINISHED_MESSAGE);
}

/** Tells whether a restore of the database is unfinished. */
export async function isRestoreUnfinished(database: ClientBase | Pool): Promise<boolean> {
  const { rowCount } = await database.query('SELECT FROM pg_namespace WHERE nspname = $1', [
    UNFINISHED_RESTORE_SCHEMA,
  ]);
  return rowCount !== 0;
}
