import pg from 'pg';
import { RESTORE_UNFINISHED_MESSAGE, isRestoreUnfinished } from '#libs/kernel/runtime';
import { CliError } from '../cli-error.js';
import {
  readAppliedMigrations,
  requireKnownMigrations,
  type AppliedMigrations,
} from '../migrate/known-migrations.js';
import { takeMigrationLock } from '../migrate/migration-lock.js';
import { COPY_SETTINGS } from './database-copy.js';
import { listPartitions, listTablesToCopy, type TableToCopy } from './backup-tables.js';
import type { TablePartition } from './manifest.js';

const INSUFFICIENT_PRIVILEGE = '42501';

/** A view of the whole database as of one moment. Later writes to the database do not change the snapshot. */
export interface DatabaseSnapshot extends AppliedMigrations {
  readonly client: pg.Client;
  /** The instant at which the snapshot was opened, by the database's clock. */
  readonly startedAt: string;
  readonly postgresVersion: string;
  readonly tables: readonly TableToCopy[];
  readonly partitions: readonly TablePartition[];
  /** The position at which the event log in this database ends; 0 if the log is empty or not in this database. */
  readonly head: bigint;
  /** Whether the database has users of Countinghouse. */
  readonly hasUsers: boolean;
  close(): Promise<void>;
}

/**
 * Opens one transaction that sees all tables as of one moment, including the event log and the usage log. No migration can change the
 * tables until the transaction is closed. Throws a {@link CliError} if the database cannot be reached, or if the user may not
 * read all tables. Throws a {@link CliError} if the database has no tables of Countinghouse or an unfinished restore. Throws a
 * {@link CliError} if the database has a migration that this program lacks.
 *
 * @param databaseUrl connects as the user that owns the tables
 * @param signal stops the wait for a running migration
 */
export async function openDatabaseSnapshot(
  databaseUrl: string,
  signal: AbortSignal,
): Promise<DatabaseSnapshot> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'countinghouse backup' });
  // The error needs no handling here, since the next query fails with it.
  client.on('error', () => undefined);
  await client.connect().catch((error: Error) => {
    throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
  });
  // The connection is cut instead of closed. Otherwise, after an interrupted COPY, the server would first send the rest of the rows.
  const close = async (): Promise<void> => {
    client.connection.stream.destroy();
    await client.end();
  };
  try {
    return { ...(await beginSnapshot(client, signal)), close };
  } catch (error) {
    await close();
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new CliError(
      `A backup reads all tables, but this database user may not (${(error as Error).message}); ` +
        'set MIGRATION_DATABASE_URL to the user that owns them',
    );
  }
}

async function beginSnapshot(
  client: pg.Client,
  signal: AbortSignal,
): Promise<Omit<DatabaseSnapshot, 'close'>> {
  await client.query(COPY_SETTINGS);
  await takeMigrationLock(client, { shared: true, signal });
  if (await isRestoreUnfinished(client))
    throw new CliError(`There is nothing to back up yet. ${RESTORE_UNFINISHED_MESSAGE}`);
  const applied = await readAppliedMigrations(client);
  if (applied.migrations.length === 0 || applied.logMigrations.length === 0)
    throw new CliError('The database has no tables of Countinghouse; check DATABASE_URL or DATA_DIR');
  await requireKnownMigrations(client, applied);
  const tables = await listTablesToCopy(client);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // The tables are locked before the first query, which takes the snapshot. So no table can be altered after the snapshot.
  await client.query(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
  const { rows } = await client.query<{ at: Date; version: string; head: string; hasUsers: boolean }>(
    `SELECT clock_timestamp() AS at, current_setting('server_version') AS version,
       (SELECT head FROM eventstore.log) AS head, EXISTS (SELECT FROM identity.users) AS "hasUsers"`,
  );
  const { at, version, head, hasUsers } = rows[0]!;
  return {
    client,
    startedAt: new Date(at).toISOString(),
    postgresVersion: version,
    ...applied,
    tables,
    partitions: await listPartitions(client),
    head: BigInt(head),
    hasUsers,
  };
}
