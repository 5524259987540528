import { access, constants, stat } from 'node:fs/promises';
import type { Settings } from '#libs/kernel/system';
import { requireNoUnfinishedRestore } from '../backup/restore-marks.js';
import { CliError } from '../cli-error.js';
import { requireUsablePorts } from './chosen-ports.js';
import { DataFolder } from './data-folder.js';
import { removeInstanceAddresses, writeInstanceAddresses } from './running-instance.js';
import { MigrationStamp } from './migration-stamp.js';
import { planServices, type InstanceServices } from './services.js';
import { Supervisor } from './supervisor.js';
import type { Terminal } from './terminal.js';
import { waitUntilApiReady } from './wait-until-api-ready.js';

/** A running instance of Countinghouse with its supervisor. */
export interface Instance {
  /** The public URL of the API, without a slash at the end. */
  publicUrl: string;
  /** The URL of the API from this machine. */
  localUrl: string;
  /** The URL of the database, which connects as the user that owns the tables, or as that of DATABASE_URL. */
  databaseUrl: string;
  /** The operator URL of each process, with its metrics and health. */
  opsUrls: InstanceServices['opsUrls'];
  folder: DataFolder;
  supervisor: Supervisor;
  /** Runs the migrations that were added to the sources since the start. */
  migrate: () => Promise<void>;
}

/**
 * Starts all programs of an instance and resolves when the API reports that it is ready. If only its read models are still behind after 30
 * seconds, the terminal says so, and the promise resolves too. Throws a {@link CliError} if a program cannot start or `stop` is aborted. If
 * the start fails, the programs that were already started are stopped again.
 */
export async function startInstance(
  settings: Settings,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<Instance> {
  await requireChrome(settings);
  const folder = await DataFolder.acquire(settings.dataDir);
  const supervisor = new Supervisor(folder, terminal);
  const halt = () => void supervisor.stop();
  stop.addEventListener('abort', halt);
  try {
    stop.throwIfAborted();
    await requireNoUnfinishedRestore(folder.path);
    await requireUsablePorts(settings, folder.wasAbandoned);
    const services = await planServices(settings, folder);
    await writeInstanceAddresses(folder.path, services.addresses);
    await startServices(services, supervisor, folder);
    stop.throwIfAborted();
    const { publicUrl: url, localUrl, opsUrls: ops, migrationProgram: migrate } = services;
    if (!(await waitUntilApiReady(localUrl, stop)))
      terminal.printLine('The read models are still catching up; until then some responses show old data');
    return {
      publicUrl: url,
      localUrl,
      databaseUrl: services.databaseUrl,
      opsUrls: ops,
      folder,
      supervisor,
      migrate: () => supervisor.runUntilExit(migrate),
    };
  } catch (error) {
    await stopInstance({ folder, supervisor });
    throw stop.aborted ? new CliError('Stopped before everything had started') : error;
  } finally {
    stop.removeEventListener('abort', halt);
  }
}

/** Stops all programs of an instance and releases its data folder. */
export async function stopInstance({
  folder,
  supervisor,
}: Pick<Instance, 'folder' | 'supervisor'>): Promise<void> {
  await supervisor.stop();
  await removeInstanceAddresses(folder.path);
  await folder.release();
}

async function startServices(
  services: InstanceServices,
  supervisor: Supervisor,
  folder: DataFolder,
): Promise<void> {
  const { migrationProgram: migrate } = services;
  const postgres = services.postgres ? [services.postgres] : [];
  const programs = [...(services.eventStore ? [services.eventStore] : []), ...services.apps];
  const stamp = services.postgres && new MigrationStamp(folder.postgresFolder);
  if (await stamp?.isCurrent()) return supervisor.start(...postgres, ...programs);

  await supervisor.start(...postgres);
  const runMigrations = () => supervisor.runUntilExit(migrate);
  await (stamp ? stamp.renewAfter(runMigrations) : runMigrations());
  await supervisor.start(...programs);
}

/** Checks CHROME_PATH at the start. Without this check, a wrong path would be noticed only when the first PDF is created. */
async function requireChrome({ chromePath }: Settings): Promise<void> {
  if (chromePath === undefined) return;
  const isProgram = await access(chromePath, constants.X_OK)
    .then(async () => (await stat(chromePath)).isFile())
    .catch(() => false);
  if (!isProgram)
    throw new CliError(`Wrong setting: CHROME_PATH is "${chromePath}" but must be an executable file`);
}
