import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrateLog } from '#apps/eventstore';
import { isRestoreUnfinished, UNFINISHED_RESTORE_SCHEMA } from '#libs/kernel/runtime';
import { CliError } from '../cli-error.js';
import { findUnknownMigration, readAppliedMigrations } from '../migrate/known-migrations.js';
import { productVersion } from '../product-version.js';
import { runMigrations } from '../migrate/migrate.js';
import { takeMigrationLock } from '../migrate/migration-lock.js';
import type { BackupFile } from './backup-file.js';
import { countRows } from './count-rows.js';
import { COPY_SETTINGS } from './database-copy.js';
import type { BackupManifest, BackupTable } from './manifest.js';
import { BACKED_UP_SCHEMAS, listTablesToCopy } from './backup-tables.js';

/**
 * The name of an empty schema in a database that has all rows of a backup, until the restore has come to its end. Its comment names the
 * backup.
 */
const LOADED_SCHEMA = 'restored_rows';

/** Throws a {@link CliError} that names both versions if this program does not have a migration of the backup. */
export async function requireSupportedBackup({
  path,
  manifest,
}: Pick<BackupFile, 'path' | 'manifest'>): Promise<void> {
  const unknown = findUnknownMigration(manifest);
  if (unknown !== undefined)
    throw new CliError(
      `${path} was made by Countinghouse ${manifest.version}, which is newer than this program (${await productVersion()}): it has the ` +
        `migration ${unknown}; restore it with that version or a newer one`,
    );
}

/**
 * Loads all rows of a backup into an empty database. The tables are first created with the migrations that the backup lists. All rows are
 * then inserted in one transaction. Until the commit, the database is marked as an unfinished restore, and no API, saga, projector or
 * embedded event store works on it. After a crash before the commit, a second call starts again from the beginning. After the commit, a
 * second call does nothing until {@link removeLoadedMark} was called. Throws a {@link CliError} if the database is not empty or cannot be
 * reached, or if the backup does not fit this program.
 *
 * @param databaseUrl connects as the user that will own the tables
 * @param loaded is called with the number of rows inserted so far, of all tables together
 * @param beforeEnd is called after the last row and before the commit
 * @returns false if an earlier call has already loaded the rows of this backup
 */
export async function loadBackup(
  backup: BackupFile,
  databaseUrl: string,
  loaded: (rows: number) => void,
  beforeEnd: () => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'countinghouse restore',
  });
  client.on('error', () => undefined);
  await client.connect().catch((error: Error) => {
    throw new CliError(`The database cannot be reached (${error.message}); check DATABASE_URL`);
  });
  try {
    await client.query(COPY_SETTINGS);
    await takeMigrationLock(client, { signal });
    if (await isLoaded(client, backup)) return false;
    await markDatabase(client, backup);
    await runMigrations(databaseUrl, backup.manifest.migrations);
    await migrateLog(client, backup.manifest.logMigrations);
    signal.throwIfAborted();
    await client.query('BEGIN');
    await insertAllRows(client, backup, loaded, signal);
    await beforeEnd();
    await client.query(`
      ALTER SCHEMA ${UNFINISHED_RESTORE_SCHEMA} RENAME TO ${LOADED_SCHEMA};
      COMMENT ON SCHEMA ${LOADED_SCHEMA} IS '${digestOf(backup)}'`);
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return true;
  } finally {
    // If the transaction was not committed, the end of the session rolls it back.
    client.connection.stream.destroy();
    await client.end();
  }
}

/** Removes the mark that lets a repeated restore go on after the rows. The mark hinders no program. */
export async function removeLoadedMark(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'countinghouse restore',
  });
  await client.connect();
  try {
    await client.query(`DROP SCHEMA IF EXISTS ${LOADED_SCHEMA}`);
  } finally {
    await client.end();
  }
}

/**
 * Tells whether the database has all rows of this backup, from a restore that did not come to its end. Throws a {@link CliError} if the
 * database has the rows of another backup.
 */
async function isLoaded(client: pg.Client, backup: BackupFile): Promise<boolean> {
  const { rows } = await client.query<{ digest: string | null }>(
    `SELECT obj_description(oid, 'pg_namespace') AS digest FROM pg_namespace WHERE nspname = $1`,
    [LOADED_SCHEMA],
  );
  const [found] = rows;
  if (found && found.digest !== digestOf(backup))
    throw new CliError(
      `The restore of another backup than ${backup.path} was begun in this database and not finished; restore into an empty one`,
    );
  return found !== undefined;
}

function digestOf({ manifest }: BackupFile): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/**
 * Marks an empty database as being restored. Throws a {@link CliError} if the database is not empty and has no mark. Throws a
 * {@link CliError} if the user may not create the mark, or if the mark is from the unfinished restore of a newer backup.
 */
async function markDatabase(client: pg.Client, { path, manifest }: BackupFile): Promise<void> {
  if (!(await isRestoreUnfinished(client))) {
    await requireEmptyDatabase(client);
    await client.query(`CREATE SCHEMA ${UNFINISHED_RESTORE_SCHEMA}`).catch((error: Error) => {
      throw new CliError(
        `A restore creates the tables, but this database user may not (${error.message}); set DATABASE_URL or MIGRATION_DATABASE_URL ` +
          'to the user that will own the tables',
      );
    });
    return;
  }
  const { migrations, logMigrations } = await readAppliedMigrations(client);
  const applied: (string | number)[] = [...migrations, ...logMigrations];
  const wanted: (string | number)[] = [...manifest.migrations, ...manifest.logMigrations];
  if (!applied.every((one) => wanted.includes(one)))
    throw new CliError(
      `The restore of a newer backup than ${path} was begun in this database and not finished; restore into an empty one`,
    );
}

async function requireEmptyDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; database: string }>(
    `SELECT nspname AS name, current_database() AS database FROM pg_namespace WHERE nspname = ANY($1)
     UNION ALL
     SELECT 'schema_migrations', current_database() WHERE to_regclass('schema_migrations') IS NOT NULL
     ORDER BY 1 LIMIT 1`,
    [[...BACKED_UP_SCHEMAS, 'read', 'projection']],
  );
  const [found] = rows;
  if (found)
    throw new CliError(
      `The database "${found.database}" is not empty: it has "${found.name}" already. Create a new one (CREATE DATABASE …), and set ` +
        'DATABASE_URL to it',
    );
}

async function insertAllRows(
  client: pg.Client,
  backup: BackupFile,
  loaded: (rows: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { path, manifest } = backup;
  const tables = await listTablesToCopy(client);
  requireSameTables(
    path,
    manifest,
    tables.map(({ name }) => name),
  );
  // The migrations insert some rows, which are also in the backup.
  await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`);
  await makePartitions(client, manifest);
  let rows = 0;
  for (const { name, columns } of tables) {
    const part = manifest.tables.find((one) => one.name === name)!;
    requireSameColumns(path, part, columns);
    // The triggers ran when the rows were first written, so they must not run again.
    await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    const count = await insertTableRows(client, backup, part, (ofTable) => loaded(rows + ofTable), signal);
    if (count !== part.rows)
      throw new CliError(`${path} is damaged: ${name} has ${count} rows of ${part.rows}; use another backup`);
    await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    rows += part.rows;
  }
  for (const { name, lastValue, isCalled } of manifest.sequences)
    await client.query('SELECT setval($1::regclass, $2, $3)', [name, lastValue, isCalled]);
}

async function insertTableRows(
  client: pg.Client,
  backup: BackupFile,
  { name, columns }: BackupTable,
  loaded: (rows: number) => void,
  signal: AbortSignal,
): Promise<number> {
  const copy = client.query(copyFrom(`COPY ${name} (${columns.join(', ')}) FROM STDIN`));
  await pipeline(backup.tableStream(name), createGunzip(), countRows(loaded), copy, { signal });
  return copy.rowCount;
}

/** Creates the partitions that are missing. The migrations only create the partitions of the current months. */
async function makePartitions(client: pg.Client, { partitions }: BackupManifest): Promise<void> {
  for (const { table, name, from, to } of partitions) {
    const schema = table.split('.')[0];
    const { rows } = await client.query<{ statement: string; made: boolean }>(
      `SELECT to_regclass(format('%I.%I', $1::text, $2::text)) IS NOT NULL AS made,
         format('CREATE TABLE %I.%I PARTITION OF %s FOR VALUES FROM (%L) TO (%L)', $1::text, $2::text, $3::regclass, $4::text, $5::text)
           AS statement`,
      [schema, name, table, from, to],
    );
    if (!rows[0]!.made) await client.query(rows[0]!.statement);
  }
}

function requireSameTables(path: string, manifest: BackupManifest, tables: readonly string[]): void {
  const other =
    tables.find((name) => !manifest.tables.some((one) => one.name === name)) ??
    manifest.tables.find(({ name }) => !tables.includes(name))?.name;
  if (other !== undefined)
    throw new CliError(`${path} does not fit this program: only one of the two has the table ${other}`);
}

function requireSameColumns(path: string, { name, columns }: BackupTable, made: readonly string[]): void {
  const other = columns.find((column) => !made.includes(column));
  if (other !== undefined)
    throw new CliError(`${path} does not fit this program: it has the column ${name}.${other}`);
}
