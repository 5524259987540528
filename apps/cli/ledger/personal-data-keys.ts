import { PersonalDataVault, type PersonalDataKeySource } from '#libs/kernel/event-store';
import { withReadOnlyDatabase } from './database.js';

/** For each command, the text that says what its output lacks without the keys of personal data. */
const WITHOUT_KEYS = {
  export: 'Customers have no names in the export',
  explain: 'Texts that users wrote are shown as [erased]',
} as const;

/**
 * Runs `work` with the keys from the database that decrypt personal data. If no database is configured, `keys` is undefined and a notice is
 * printed. Throws a CliError if the configured database cannot be reached.
 */
export async function withPersonalDataKeys<T>(
  env: NodeJS.ProcessEnv,
  command: keyof typeof WITHOUT_KEYS,
  work: (keys: PersonalDataKeySource | undefined) => Promise<T>,
): Promise<T> {
  return withReadOnlyDatabase(env, command, async (pool) => {
    const done = await work(pool && new PersonalDataVault(pool));
    if (pool === undefined)
      process.stderr.write(
        `${WITHOUT_KEYS[command]}: DATABASE_URL is not set, so the keys of personal data cannot be read\n`,
      );
    return done;
  });
}
