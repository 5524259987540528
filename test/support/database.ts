import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { enableLogins, migrateAndGrantRights, urlForRole, type DatabaseRole } from '#apps/cli';
import { columnTypeParsers } from '#libs/kernel/postgres';

/** A database of a test's own on the run's shared server. */
export interface TestDatabase {
  /** For the owner of its tables. */
  url: string;
  /** For a program with this role, once the database is migrated. */
  urlAs(role: DatabaseRole): string;
  /** Drops it, with whatever is still connected to it. */
  drop(): Promise<void>;
}

/** Makes an empty database, in some 0.1 s. Drop it in `afterAll`. */
export async function createDatabase(): Promise<TestDatabase> {
  return createFrom('template0');
}

/** Makes a database with all tables of the migrations, as quickly as an empty one. Drop it in `afterAll`. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createFrom(await migratedTemplate());
}

/** A pool for a test's own look at a database. Its connections can be cut by the application's name. */
export function createPool({ url }: { url: string }, max = 4, applicationName?: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types: columnTypeParsers,
    options: '-c TimeZone=UTC',
    ...(applicationName === undefined ? {} : { application_name: applicationName }),
  });
  // `end` does not wait until its connections are closed, so the drop of the database may still end one. Let it.
  pool.on('error', () => undefined);
  return pool;
}

/** Migrates once in a run. All workers that need the template meanwhile wait. */
async function migratedTemplate(): Promise<string> {
  const template = `template_${process.env['TEST_RUN_ID']}`;
  await asAdmin(async (client) => {
    await client.query(`SELECT pg_advisory_lock(hashtext($1))`, [template]);
    const made = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (made.rowCount !== 0) return;
    const draft = `${template}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft}`);
    await client.query(`CREATE DATABASE ${draft} TEMPLATE template0`);
    await migrateAndGrantRights(urlOf(draft));
    await enableLogins(client, decodeURIComponent(new URL(serverUrl()).password));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  });
  return template;
}

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return {
    url: urlOf(name),
    urlAs: (role) => urlForRole(role, urlOf(name)),
    drop: async () => {
      await asAdmin((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

function serverUrl(): string {
  const url = process.env['TEST_POSTGRES_URL'];
  if (!url) throw new Error('There is no test server: the file must be named .int.spec.ts or .e2e.spec.ts');
  return url;
}

async function asAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(serverUrl());
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
