import { CliError } from '../cli-error.js';

/** The SQLSTATE codes that mean that a schema, a table or a column does not exist. */
const UNDEFINED_OBJECT_CODES = new Set(['3F000', '42P01', '42703']);

/**
 * Awaits a query that needs a schema, a table or a column of a recent migration. Throws a {@link CliError} if the database does not have it
 * yet.
 */
export async function requireDatabaseUpToDate(query: Promise<unknown>): Promise<void> {
  await query.catch((error: Error & { code?: string }) => {
    if (error.code === undefined || !UNDEFINED_OBJECT_CODES.has(error.code)) throw error;
    throw new CliError('The database is not up to date; run "countinghouse migrate"');
  });
}
