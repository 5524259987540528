import pg from 'pg';
import { migrateLog } from '#apps/eventstore';
import { createDataSource } from '#libs/kernel/postgres';
import { RESTORE_UNFINISHED_MESSAGE, isRestoreUnfinished } from '#libs/kernel/runtime';
import { CliError } from '../cli-error.js';
import { readAppliedMigrations, recordVersion, requireKnownMigrations } from './known-migrations.js';
import { takeMigrationLock } from './migration-lock.js';
import { allMigrations } from './migrations.js';
import { grantRights } from './rights.js';
import { ensureRoles } from './roles.js';

const BEFORE_FIRST_VERSION =
  'This database was written before 0.1.0, the first version, and its tables have another shape. ' +
  'Begin with an empty data folder, or with an empty database and an empty event store';

/** The result of {@link migrateAndGrantRights}. */
export interface MigrationResult {
  /** The names of the migrations that ran. */
  names: string[];
  /**
   * The message of Postgres that refuses to create the programs' roles, or to make the user a member of the projector's role. If there is a
   * message, no rights were granted. Undefined if Postgres refused neither.
   */
  roleCreationError: string | undefined;
}

/**
 * Runs the migrations that the database does not have yet, each in its own transaction. Afterwards, the rights of the programs' roles are
 * granted. If the user is not allowed to create roles, the programs must connect as this user. If two calls run at the same time, the
 * second call waits, and then finds all migrations done. Throws a {@link CliError} if the database cannot be reached, has an unfinished
 * restore, is older than version 0.1.0, or has a migration that this program lacks.
 *
 * @param databaseUrl connects as the user that owns the tables
 */
export async function migrateAndGrantRights(databaseUrl: string): Promise<MigrationResult> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'countinghouse migrate' });
  await client.connect().catch((error: Error) => {
    throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
  });
  try {
    await takeMigrationLock(client);
    if (await isRestoreUnfinished(client)) throw new CliError(RESTORE_UNFINISHED_MESSAGE);
    if (await isBeforeFirstVersion(client)) throw new CliError(BEFORE_FIRST_VERSION);
    await requireKnownMigrations(client, await readAppliedMigrations(client));
    const names = await runMigrations(databaseUrl);
    await migrateLog(client);
    await recordVersion(client);
    const roleCreationError = await ensureRoles(client);
    if (roleCreationError === undefined) await grantRights(client);
    // The role of SQL metrics may have been created after the migration that needs it.
    await client.query('SELECT usage.ensure_sql_role()');
    return { names, roleCreationError };
  } finally {
    // The end of the session releases the lock.
    await client.end();
  }
}

/** Tells whether the tables are older than version 0.1.0, in which the column of a workspace's id is called `account_id`. */
async function isBeforeFirstVersion(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_attribute WHERE attrelid = to_regclass('saga.tasks') AND attname = 'account_id' AND NOT attisdropped`,
  );
  return rowCount === 1;
}

/**
 * Runs the migrations that the database does not have yet. The caller must hold the migration lock.
 *
 * @param wanted the names of the migrations to run; by default all
 * @returns the names of the migrations that ran
 */
export async function runMigrations(databaseUrl: string, wanted?: readonly string[]): Promise<string[]> {
  const dataSource = createDataSource({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'countinghouse migrate',
    migrations: allMigrations.filter(({ name }) => wanted?.includes(name) ?? true),
  });
  await dataSource.initialize();
  try {
    return (await dataSource.runMigrations()).map(({ name }) => name);
  } finally {
    await dataSource.destroy();
  }
}
