import type { ClientBase } from 'pg';
import { isKnownLogMigration } from '#apps/eventstore';
import { CliError } from '../cli-error.js';
import { productVersion } from '../product-version.js';
import { allMigrations } from './migrations.js';

/** The migrations that have run in a database. */
export interface AppliedMigrations {
  /** The names of the database migrations, in the order in which they ran. */
  readonly migrations: readonly string[];
  /** The numbers of the event log's own migrations, in order. */
  readonly logMigrations: readonly number[];
}

/** Returns the migrations that have run in a database. The database may be empty. */
export async function readAppliedMigrations(client: ClientBase): Promise<AppliedMigrations> {
  const migrations = (await tableExists(client, 'schema_migrations'))
    ? await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id')
    : { rows: [] };
  const logMigrations = (await tableExists(client, 'eventstore.migrations'))
    ? await client.query<{ number: number }>('SELECT number FROM eventstore.migrations ORDER BY number')
    : { rows: [] };
  return {
    migrations: migrations.rows.map(({ name }) => name),
    logMigrations: logMigrations.rows.map(({ number }) => number),
  };
}

/** Returns the first migration that this program does not have, as text, or undefined if this program has all. */
export function findUnknownMigration({ migrations, logMigrations }: AppliedMigrations): string | undefined {
  const unknown = migrations.find((name) => !allMigrations.some((one) => one.name === name));
  if (unknown !== undefined) return unknown;
  const ofLog = logMigrations.find((number) => !isKnownLogMigration(number));
  return ofLog === undefined ? undefined : `${ofLog} of the event log`;
}

/** Throws a {@link CliError} that names both versions if the database has a migration that this program does not have. */
export async function requireKnownMigrations(client: ClientBase, applied: AppliedMigrations): Promise<void> {
  const unknown = findUnknownMigration(applied);
  if (unknown === undefined) return;
  const { rows } = await client.query<{ version: string | null }>(
    `SELECT obj_description('schema_migrations'::regclass, 'pg_class') AS version`,
  );
  throw new CliError(
    `The database was migrated by ${rows[0]!.version ?? 'a version of Countinghouse'}, which is newer than this program ` +
      `(${await productVersion()}): it has the migration ${unknown}. Use that version or a newer one`,
  );
}

/** Records the version of this program as the one that migrated the database last. Older programs name it when they refuse the database. */
export async function recordVersion(client: ClientBase): Promise<void> {
  await client.query(`COMMENT ON TABLE schema_migrations IS 'Countinghouse ${await productVersion()}'`);
}

async function tableExists(client: ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query<{ made: boolean }>('SELECT to_regclass($1) IS NOT NULL AS made', [
    table,
  ]);
  return rows[0]!.made;
}
