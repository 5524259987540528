import { PersonalDataVault, type PersonalDataKeys } from '#libs/kernel/event-store';
import { withDatabase } from './database.js';

/**
 * Runs `work` with the keys for decrypting personal data, which are in the database. If no database is configured, `keys` is undefined and
 * a notice is printed. Throws a CliError if the configured database cannot be reached.
 */
export async function withPersonalData<T>(
  env: NodeJS.ProcessEnv,
  work: (keys: PersonalDataKeys | undefined) => Promise<T>,
): Promise<T> {
  return withDatabase(env, 'export', async (pool) => {
    const done = await work(pool && new PersonalDataVault(pool));
    if (pool === undefined)
      process.stderr.write(
        'Customers have no names in the export: DATABASE_URL is not set, so the keys of personal data cannot be read\n',
      );
    return done;
  });
}
