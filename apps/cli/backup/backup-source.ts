import { join, resolve } from 'node:path';
import { loadSettings } from '#libs/kernel/system';
import { isPostgresCluster } from '../embedded-postgres/cluster.js';
import { DataFolder } from '../start/data-folder.js';
import { readSettingsWithServerUrls } from '../start/running-instance.js';
import { startStandalonePostgres } from './standalone-postgres.js';
import { requireNoUnfinishedRestore } from './restore-marks.js';

/** The database and the secrets from which a backup is made. */
export interface BackupSource {
  /** The URL connects as the database user that owns the tables. */
  readonly databaseUrl: string;
  /** The value of EVENTSTORE_URL. If EVENTSTORE_URL is not set, the event log is in the database. */
  readonly eventStoreUrl: string | undefined;
  /**
   * The key that signs access tokens, from DATA_DIR; undefined if JWT_SECRET is set, or if DATA_DIR has no key. If the instance runs with a
   * JWT_SECRET that this command does not have, the key is not the one in use.
   */
  readonly jwtSecret: string | undefined;
  close(): Promise<void>;
}

/**
 * Finds the database to back up. The database of MIGRATION_DATABASE_URL is used, or else that of DATABASE_URL, or else that of the instance
 * in DATA_DIR. If the instance in DATA_DIR is stopped, its Postgres is started and runs until `close` is called. Throws a CliError if none
 * of the three exists, or if another backup or a restore uses the Postgres of DATA_DIR.
 */
export async function openBackupSource(env: NodeJS.ProcessEnv): Promise<BackupSource> {
  const settings = loadSettings(env);
  const { eventStoreUrl } = settings;
  const folder = resolve(settings.dataDir);
  const jwtSecret = settings.jwtSecret ? undefined : (await DataFolder.secretsOf(folder)).jwtSecret;
  const given = settings.migrationDatabaseUrl ?? settings.databaseUrl;
  const isAtRest =
    given === undefined &&
    !(await DataFolder.isInUse(folder)) &&
    (await isPostgresCluster(join(folder, 'postgres')));
  if (isAtRest) {
    const postgres = await startStandalonePostgres(folder, () => requireNoUnfinishedRestore(folder));
    return { ...postgres, eventStoreUrl, jwtSecret };
  }
  const { databaseUrl } = await readSettingsWithServerUrls(env, ['databaseUrl']);
  return { databaseUrl, eventStoreUrl, jwtSecret, close: () => Promise.resolve() };
}
