import pg from 'pg';
import { PersonalDataVault, type PersonalDataKeys } from '#libs/kernel/event-store';
import { CliError } from '../cli-error.js';
import { settingsOfInstance } from '../start/running-instance.js';

/**
 * Does work that shows personal data, with the keys of it, which the database has. Where no database is known, it is told so, and
 * `keys` is undefined. Throws a {@link CliError} if there is one that cannot be reached.
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
      'Customers are without their names: DATABASE_URL names no database to read the keys from\n',
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
