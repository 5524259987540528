import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrateLog } from '#apps/eventstore';
import { createDataSource } from '#libs/postgres';
import { CliError } from '../cli-error.js';
import { allMigrations } from './migrations.js';
import { grantRights } from './rights.js';
import { ensureRoles } from './roles.js';

// Any number will do, as long as it is this one everywhere: it spells "migr".
const advisoryLock = 0x6d696772;

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
 * waits and then finds nothing to do. Throws a {@link CliError} when the database cannot be reached.
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
    const dataSource = createDataSource({
      url: databaseUrl,
      poolSize: 2,
      applicationName: 'countinghouse migrate',
      migrations: allMigrations,
    });
    await dataSource.initialize();
    let names: string[];
    try {
      names = (await dataSource.runMigrations()).map(({ name }) => name);
    } finally {
      await dataSource.destroy();
    }
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
      advisoryLock,
    ]);
    if (rows[0]?.locked) return;
    await delay(RETRY_MILLIS);
  }
}
