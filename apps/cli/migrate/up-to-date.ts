import { CliError } from '../cli-error.js';

/** What Postgres answers when a schema, a table or a column is not there. */
const UNDEFINED = new Set(['3F000', '42P01', '42703']);

/** Waits for a query of what the newest migration brings. Throws a {@link CliError} when the database does not have it. */
export async function requireUpToDate(query: Promise<unknown>): Promise<void> {
  await query.catch((error: Error & { code?: string }) => {
    if (error.code === undefined || !UNDEFINED.has(error.code)) throw error;
    throw new CliError('The database is not up to date; run "countinghouse migrate"');
  });
}
