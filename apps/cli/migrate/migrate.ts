import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrateLog } from '#apps/eventstore';
import { createDataSource, isHalfRestored } from '#libs/postgres';
import { CliError } from '../cli-error.js';
import { allMigrations } from './migrations.js';
import { grantRights } from './rights.js';
import { ensureRoles } from './roles.js';

/** Whoever holds this advisory lock changes the tables, or wants nobody to. Any number will do, as long as it is this one everywhere: it spells "migr". */
export const MIGRATION_LOCK = 0x6d696772;

/** How long to wait before looking again whether another has done. */
const RETRY_MILLIS = 200;

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
    await takeTurn(client);
    if (await isHalfRestored(client))
      throw new CliError(
        'A restore of this database was not finished; run "countinghouse restore" again, which begins it anew, or drop the database',
      );
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

/**
 * Takes the lock that lets one migrate at a time. Whoever waits asks again and again: a statement that waits would hold up an index
 * that the other makes concurrently, for Postgres waits there for every statement that is under way.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.locked) return;
    await delay(RETRY_MILLIS);
  }
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
