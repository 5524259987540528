import pg from 'pg';
import { migrateLog } from '#apps/eventstore';
import { createDataSource } from '#libs/kernel/postgres';
import { HALF_RESTORED, isHalfRestored } from '#libs/kernel/runtime';
import { CliError } from '../cli-error.js';
import { takeMigrationLock } from './migration-lock.js';
import { allMigrations } from './migrations.js';
import { grantRights } from './rights.js';
import { ensureRoles } from './roles.js';

const BEFORE_FIRST_VERSION =
  'This database was written before 0.1.0, the first version, and its tables have another shape. ' +
  'Begin with an empty data folder, or with an empty database and an empty event store';

/** What {@link migrate} has done. */
export interface Migrated {
  /** Names of the migrations that ran. */
  names: string[];
  /** Why the programs have no roles of their own, as Postgres says it; undefined if they have. */
  rolesObstacle: string | undefined;
}

/**
 * Runs the migrations that the database does not have yet, each in a transaction of its own, and gives the roles of the programs
 * their rights. Where this user may make no roles, the programs have to use its own. Two calls at once do not collide: the second
 * waits and then finds nothing to do. Throws a {@link CliError} when the database cannot be reached, or a restore of it is not finished.
 *
 * @param databaseUrl of the user that owns the tables
 */
export async function migrate(databaseUrl: string): Promise<Migrated> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'countinghouse migrate' });
  await client.connect().catch((error: Error) => {
    throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
  });
  try {
    await takeMigrationLock(client);
    if (await isHalfRestored(client)) throw new CliError(HALF_RESTORED);
    if (await isBeforeFirstVersion(client)) throw new CliError(BEFORE_FIRST_VERSION);
    const names = await runMigrations(databaseUrl);
    await migrateLog(client);
    const rolesObstacle = await ensureRoles(client);
    if (rolesObstacle === undefined) await grantRights(client);
    // The role of SQL metrics may have been made since the migration that asked for it.
    await client.query('SELECT usage.ensure_sql_role()');
    return { names, rolesObstacle };
  } finally {
    // The lock goes with its session.
    await client.end();
  }
}

/** Whether the tables are those of before 0.1.0, when the id of a workspace was called an account's. */
async function isBeforeFirstVersion(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_attribute WHERE attrelid = to_regclass('saga.tasks') AND attname = 'account_id' AND NOT attisdropped`,
  );
  return rowCount === 1;
}

/**
 * Runs the migrations that the database does not have yet, for who holds the lock.
 *
 * @param wanted the names of those to run; by default all
 * @returns the names of those that ran
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
