import { postgresProgram, postgresUrl } from '../embedded-postgres/index.js';
import { findFreePort } from '../processes/ports.js';
import { DataFolder, type Secrets } from '../start/data-folder.js';
import { postgresSettings } from '../start/services.js';
import { Supervisor } from '../start/supervisor.js';
import { Terminal } from '../start/terminal.js';

/** The Postgres of an instance, without the instance's other programs. */
export interface StandalonePostgres {
  /** The URL connects as the database user that owns the tables. */
  readonly databaseUrl: string;
  /** Stops Postgres and releases the data folder. */
  close(): Promise<void>;
}

/**
 * Runs the Postgres of a data folder on a free port until `close` is called. The folder is locked until `close` is called, so no instance
 * can start in it. Throws a CliError if the folder is in use.
 *
 * @param prepare is called after the folder is locked and before Postgres starts
 * @param given the secrets for a folder that has none yet
 */
export async function startStandalonePostgres(
  path: string,
  prepare: (folder: DataFolder) => Promise<void>,
  given: Partial<Secrets> = {},
): Promise<StandalonePostgres> {
  const folder = await DataFolder.acquire(path);
  const supervisor = new Supervisor(folder, new Terminal((text) => void process.stderr.write(text)));
  const close = async (): Promise<void> => {
    await supervisor.stop();
    await folder.release();
  };
  try {
    await prepare(folder);
    const { postgresPassword: password } = await folder.getOrCreateSecrets(given);
    const port = await findFreePort();
    const settings = postgresSettings;
    await supervisor.start(postgresProgram({ folder: folder.postgresFolder, port, password, settings }));
    return { databaseUrl: postgresUrl({ port, password }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
