import { join, resolve } from 'node:path';
import { loadSettings } from '#libs/core';
import { isCluster } from '../embedded-postgres/cluster.js';
import { postgresProgram, postgresUrl } from '../embedded-postgres/index.js';
import { freePort } from '../processes/ports.js';
import { DataFolder } from '../start/data-folder.js';
import { settingsOfInstance } from '../start/running-instance.js';
import { postgresSettings } from '../start/services.js';
import { Supervisor } from '../start/supervisor.js';
import { Terminal } from '../start/terminal.js';
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
  if (isAtRest) return { ...(await startAlone(folder)), eventStoreUrl, jwtSecret };
  const { databaseUrl } = await settingsOfInstance(env, ['databaseUrl']);
  return { databaseUrl, eventStoreUrl, jwtSecret, close: () => Promise.resolve() };
}

/** Runs the Postgres of an instance that does not run, which is kept from starting meanwhile. */
async function startAlone(path: string): Promise<Pick<BackupSource, 'databaseUrl' | 'close'>> {
  const folder = await DataFolder.take(path);
  const supervisor = new Supervisor(folder, new Terminal((text) => void process.stderr.write(text)));
  const close = async (): Promise<void> => {
    await supervisor.stop();
    await folder.release();
  };
  try {
    await requireRestoredFolder(path);
    const { postgresPassword: password } = await folder.secrets();
    const port = await freePort();
    const settings = postgresSettings;
    await supervisor.start(postgresProgram({ folder: folder.postgres, port, password, settings }));
    return { databaseUrl: postgresUrl({ port, password }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
