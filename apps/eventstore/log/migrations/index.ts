import type { ClientBase } from 'pg';
import { log } from './0001-log.js';

/** The migrations in order of their numbers. A released migration is never changed. */
const MIGRATIONS = [{ number: 1, name: 'log', sql: log }];

/**
 * Creates the node's schema or brings it up to date, as the role that owns it. The caller must make sure that this runs only once at a
 * time.
 *
 * @param wanted the numbers of the migrations to run; by default all
 */
export async function migrateLog(client: ClientBase, wanted?: readonly number[]): Promise<void> {
  await client.query('CREATE SCHEMA IF NOT EXISTS eventstore');
  await client.query(`
    CREATE TABLE IF NOT EXISTS eventstore.migrations (
      number integer PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const applied = await appliedLogMigrations(client);
  for (const { number, name, sql } of MIGRATIONS) {
    if (applied.has(number) || wanted?.includes(number) === false) continue;
    await client.query(
      `BEGIN; ${sql}; INSERT INTO eventstore.migrations (number, name) VALUES (${number}, '${name}'); COMMIT`,
    );
  }
}

/** @throws Error with a one-line message if the node's schema is not the one that this program needs */
export async function requireMigratedLog(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ made: boolean }>(
    `SELECT to_regclass('eventstore.migrations') IS NOT NULL AS made`,
  );
  const applied = rows[0]!.made ? await appliedLogMigrations(client) : new Set<number>();
  if (!MIGRATIONS.every(({ number }) => applied.has(number)))
    throw new Error('The database is not up to date; run "countinghouse migrate".');
}

/** Tells whether this program has the migration with this number. */
export function isKnownLogMigration(number: number): boolean {
  return MIGRATIONS.some((one) => one.number === number);
}

/**
 * Returns the numbers of the migrations that were applied to the node's schema.
 *
 * @throws Error if a migration was applied that this program does not know
 */
async function appliedLogMigrations(client: ClientBase): Promise<Set<number>> {
  const { rows } = await client.query<{ number: number }>('SELECT number FROM eventstore.migrations');
  const applied = new Set(rows.map(({ number }) => number));
  const unknown = [...applied].filter((number) => !isKnownLogMigration(number));
  if (unknown.length > 0)
    throw new Error(
      `The event store's schema is newer than this program: it has migration ${unknown.join(', ')}.`,
    );
  return applied;
}
