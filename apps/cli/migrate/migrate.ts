import pg from 'pg';
import { createDataSource } from '#libs/postgres';
import { CliError } from '../cli-error.js';
import { allMigrations } from './migrations.js';

// Any number will do, as long as it is this one everywhere: it spells "migr".
const advisoryLock = 0x6d696772;

/**
 * Runs the migrations that the database does not have yet, each in a transaction of its own. Two calls at once do not
 * collide: the second waits and then finds nothing to do.
 *
 * @returns the names of those that ran
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'countinghouse migrate' });
  await client.connect().catch((error: Error) => {
    throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
  });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    const dataSource = createDataSource({
      url: databaseUrl,
      poolSize: 2,
      applicationName: 'countinghouse migrate',
      migrations: allMigrations,
    });
    await dataSource.initialize();
    try {
      return (await dataSource.runMigrations()).map(({ name }) => name);
    } finally {
      await dataSource.destroy();
    }
  } finally {
    // The lock goes with its session.
    await client.end();
  }
}
