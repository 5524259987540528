import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadSettings, type Settings } from '#libs/kernel/system';
import { CliError } from '../cli-error.js';
import { PostgresCluster, isPostgresCluster } from '../embedded-postgres/cluster.js';
import { DataFolder } from '../start/data-folder.js';
import { startStandalonePostgres } from './standalone-postgres.js';
import {
  isRestoreUnverified,
  markRestoreFinished,
  markRestoreUnfinished,
  markRestoreVerified,
  unfinishedRestoreOf,
} from './restore-marks.js';

/** The database or data folder into which a backup is restored. */
export interface RestoreTarget {
  /** The URL connects as the database user that will own the tables. */
  readonly databaseUrl: string;
  /** The description of the target for messages, such as the path of a folder. */
  readonly name: string;
  /** Stores the backup's key that signs access tokens, if there is one and neither the target nor JWT_SECRET has a key. */
  storeJwtSecret(): Promise<void>;
  /**
   * Replaces the mark of an unfinished restore in a data folder. `markFinished` must be called after all rows are loaded and all migrations
   * have run. It does nothing for a database, whose mark `loadBackup` has removed with the commit of the rows.
   */
  markFinished(): Promise<void>;
  /** Removes the last mark of the restore from a data folder. It does nothing for a database. */
  markVerified(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Throws a {@link CliError} if the target folder is not empty. A folder with an interrupted restore counts as empty. A target database is
 * not checked here. The check of the target is quick, so it comes before the check of the backup.
 */
export async function requireEmptyRestoreTarget(env: NodeJS.ProcessEnv): Promise<void> {
  const { databaseUrl, migrationDatabaseUrl, dataDir } = loadSettings(env);
  const path = resolve(dataDir);
  if (databaseUrl !== undefined || migrationDatabaseUrl !== undefined) return;
  if (!(await isRestoreInterrupted(path))) await DataFolder.requireEmpty(path);
}

/**
 * Opens the target of a restore. The target is the database of MIGRATION_DATABASE_URL, or else that of DATABASE_URL, or else a new instance
 * in DATA_DIR. The instance's Postgres runs until `close` is called. Throws a {@link CliError} if the folder of a new instance is in use or
 * not empty. For a database, throws a {@link CliError} if DATA_DIR has another key for access tokens than the backup, and JWT_SECRET is not
 * set.
 *
 * @param backup the path of the backup; the mark of an unfinished restore names it
 * @param jwtSecret the key that signs access tokens, which the target will store
 */
export async function openRestoreTarget(
  backup: string,
  jwtSecret: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<RestoreTarget> {
  const settings = loadSettings(env);
  const given = settings.migrationDatabaseUrl ?? settings.databaseUrl;
  return given === undefined
    ? openFolderTarget(resolve(settings.dataDir), backup, jwtSecret)
    : openDatabaseTarget(given, settings, jwtSecret);
}

/**
 * Opens a database as the target of a restore. `loadBackup` checks later that the database is empty. Only the folder's secrets are stored
 * in the data folder: the key that signs access tokens, and a password for an embedded Postgres.
 */
async function openDatabaseTarget(
  databaseUrl: string,
  settings: Settings,
  jwtSecret: string | undefined,
): Promise<RestoreTarget> {
  const path = resolve(settings.dataDir);
  const kept = settings.jwtSecret ?? (await DataFolder.secretsOf(path)).jwtSecret;
  if (jwtSecret !== undefined && settings.jwtSecret === undefined && kept !== undefined && kept !== jwtSecret)
    throw new CliError(
      `${join(path, 'secrets.json')} has another key for access tokens than the backup; set DATA_DIR to an empty folder, or JWT_SECRET`,
    );
  const { pathname, host } = new URL(databaseUrl);
  return {
    databaseUrl,
    name: `the database ${pathname.slice(1)} on ${host}`,
    storeJwtSecret: async () => {
      if (jwtSecret === undefined || kept !== undefined) return;
      const folder = await DataFolder.acquire(path);
      await folder.getOrCreateSecrets({ jwtSecret });
      await folder.release();
    },
    markFinished: () => Promise.resolve(),
    markVerified: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function openFolderTarget(
  path: string,
  backup: string,
  jwtSecret: string | undefined,
): Promise<RestoreTarget> {
  if (!(await isRestoreInterrupted(path))) await DataFolder.requireEmpty(path);
  const isUnfinished = (await unfinishedRestoreOf(path)) !== undefined;
  const hasAllRows = !isUnfinished && (await isRestoreUnverified(path));
  const prepare = async (folder: DataFolder): Promise<void> => {
    if (hasAllRows) return;
    await markRestoreUnfinished(path, backup);
    if (isUnfinished) await removeUnfinishedRestore(folder);
  };
  const postgres = await startStandalonePostgres(path, prepare, jwtSecret === undefined ? {} : { jwtSecret });
  return {
    ...postgres,
    name: path,
    storeJwtSecret: () => Promise.resolve(),
    markFinished: () => (hasAllRows ? Promise.resolve() : markRestoreFinished(path)),
    markVerified: () => markRestoreVerified(path),
  };
}

/** Tells whether a restore into a data folder was interrupted, before or after all rows were restored. */
async function isRestoreInterrupted(path: string): Promise<boolean> {
  return (await unfinishedRestoreOf(path)) !== undefined || isRestoreUnverified(path);
}

/** Removes the files of an unfinished restore. Stops the Postgres server of that restore if it still runs. */
async function removeUnfinishedRestore(folder: DataFolder): Promise<void> {
  if (await isPostgresCluster(folder.postgresFolder))
    await (await PostgresCluster.open(folder.postgresFolder, '')).stopLeftoverServer();
  for (const path of [folder.postgresFolder, join(folder.path, 'secrets.json')])
    await rm(path, { recursive: true, force: true });
}
