import pg from 'pg';
import { PersonalDataVault, type PersonalDataKeys } from '#libs/kernel/event-store';
import { CliError } from '../cli-error.js';
import { settingsOfInstance } from '../start/running-instance.js';

/**
 * Runs `work` with the keys for decrypting personal data, which are in the database. If no database is configured, `keys` is undefined and
 * a notice is printed. Throws a {@link CliError} if the configured database cannot be reached.
 */
export async function withPersonalData<T>(
  env: NodeJS.ProcessEnv,
  work: (keys: PersonalDataKeys | undefined) => Promise<T>,
): Promise<T> {
  const settings = await settingsOfInstance(env, ['databaseUrl']).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (settings === undefined) {
    const done = await work(undefined);
    process.stderr.write(
      'Customers have no names in the export: DATABASE_URL is not set, so the keys of personal data cannot be read\n',
    );
    return done;
  }
  const pool = new pg.Pool({
    connectionString: settings.databaseUrl,
    application_name: 'countinghouse ledger export',
    max: 1,
    options: '-c default_transaction_read_only=on',
  });
  pool.on('error', () => undefined);
  try {
    await pool.query('SELECT').catch((error: Error) => {
      throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
    });
    return await work(new PersonalDataVault(pool));
  } finally {
    await pool.end();
  }
}
