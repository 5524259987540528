import { join, resolve } from 'node:path';
import { loadSettings } from '#libs/kernel/system';
import { isPostgresCluster } from '../embedded-postgres/cluster.js';
import { DataFolder } from '../start/data-folder.js';
import { settingsOfInstance } from '../start/running-instance.js';
import { startStandalonePostgres } from './standalone-postgres.js';
import { requireNoUnfinishedRestore } from './restore-marks.js';

/** The database and the secrets from which a backup is made. */
export interface BackupSource {
  /** Connects as the user that owns the tables. */
  readonly databaseUrl: string;
  /** The value of EVENTSTORE_URL. It is set if the event log can be in an external event store. */
  readonly eventStoreUrl: string | undefined;
  /** The key that signs access tokens; undefined if the key is a setting. */
  readonly jwtSecret: string | undefined;
  close(): Promise<void>;
}

/**
 * Finds the database to back up. The database is that of DATABASE_URL, or else that of the instance in DATA_DIR. If that instance is
 * stopped, its Postgres is started and runs until `close` is called. Throws a CliError if neither exists.
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
  const { databaseUrl } = await settingsOfInstance(env, ['databaseUrl']);
  return { databaseUrl, eventStoreUrl, jwtSecret, close: () => Promise.resolve() };
}
