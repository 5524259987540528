import type { Client } from 'pg';
import { log } from './0001-log.js';

/** In order of their numbers. A migration that has been released is never changed. */
const MIGRATIONS = [{ number: 1, name: 'log', sql: log }];

/** Creates the node's schema or brings it up to date. The caller holds the writer's lock, so this runs once at a time. */
export async function migrate(client: Client): Promise<void> {
  await client.query('CREATE SCHEMA IF NOT EXISTS eventstore');
  await client.query(`
    CREATE TABLE IF NOT EXISTS eventstore.migrations (
      number integer PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const { rows } = await client.query<{ number: number }>('SELECT number FROM eventstore.migrations');
  const applied = new Set(rows.map(({ number }) => number));
  const unknown = [...applied].filter((number) => !MIGRATIONS.some((one) => one.number === number));
  if (unknown.length > 0)
    throw new Error(
      `The event store's schema is newer than this program: it has migration ${unknown.join(', ')}.`,
    );

  for (const { number, name, sql } of MIGRATIONS) {
    if (applied.has(number)) continue;
    await client.query(
      `BEGIN; ${sql}; INSERT INTO eventstore.migrations (number, name) VALUES (${number}, '${name}'); COMMIT`,
    );
  }
}
