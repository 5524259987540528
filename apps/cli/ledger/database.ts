import pg from 'pg';
import { columnTypeParsers } from '#libs/kernel/postgres';
import { CliError } from '../cli-error.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';

/**
 * Runs `work` with a read-only connection to the database of DATABASE_URL, or else of the instance that runs in DATA_DIR. If there is
 * neither, `pool` is undefined. Throws a {@link CliError} if the database cannot be reached.
 */
export async function withReadOnlyDatabase<T>(
  env: NodeJS.ProcessEnv,
  command: string,
  work: (pool: pg.Pool | undefined) => Promise<T>,
): Promise<T> {
  const settings = await readSettingsWithServerUrls(env, ['databaseUrl']).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (settings === undefined) return work(undefined);
  const pool = new pg.Pool({
    connectionString: settings.databaseUrl,
    application_name: `countinghouse ledger ${command}`,
    max: 1,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC -c default_transaction_read_only=on',
  });
  pool.on('error', () => undefined);
  try {
    await pool.query('SELECT').catch((error: Error) => {
      throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
    });
    return await work(pool);
  } finally {
    await pool.end();
  }
}
