import { join, resolve } from 'node:path';
import { loadSettings } from '#libs/kernel/system';
import { isCluster } from '../embedded-postgres/cluster.js';
import { DataFolder } from '../start/data-folder.js';
import { settingsOfInstance } from '../start/running-instance.js';
import { runPostgresAlone } from './lone-postgres.js';
import { requireRestoredFolder } from './restore-marks.js';

/** What a backup is made of. */
export interface BackupSource {
  /** For the user that owns the tables. */
  readonly databaseUrl: string;
  /** Set when the event log may be in an event store of its own. */
  readonly eventStoreUrl: string | undefined;
  /** The key that signs access tokens; undefined if it is a setting. */
  readonly jwtSecret: string | undefined;
  close(): Promise<void>;
}

/**
 * Finds what to back up: the database of DATABASE_URL, else the one of the instance in DATA_DIR. If nothing runs there, its Postgres runs
 * until `close`. Throws a CliError when there is neither.
 */
export async function openSource(env: NodeJS.ProcessEnv): Promise<BackupSource> {
  const settings = loadSettings(env);
  const { eventStoreUrl } = settings;
  const folder = resolve(settings.dataDir);
  const jwtSecret = settings.jwtSecret ? undefined : (await DataFolder.secretsOf(folder)).jwtSecret;
  const given = settings.migrationDatabaseUrl ?? settings.databaseUrl;
  const isAtRest =
    given === undefined && !(await DataFolder.isInUse(folder)) && (await isCluster(join(folder, 'postgres')));
  if (isAtRest) {
    const postgres = await runPostgresAlone(folder, () => requireRestoredFolder(folder));
    return { ...postgres, eventStoreUrl, jwtSecret };
  }
  const { databaseUrl } = await settingsOfInstance(env, ['databaseUrl']);
  return { databaseUrl, eventStoreUrl, jwtSecret, close: () => Promise.resolve() };
}
