import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from '../cli-error.js';
import { type PostgresBinaries, findPostgresBinaries } from './binaries.js';
import { type PostgresOsUser, choosePostgresUser } from './postgres-user.js';
import { processCommandLine } from '../processes/process-list.js';

const execute = promisify(execFile);

/** The name of the embedded server's database, and of the role that owns it. */
export const embeddedDatabaseAndRole = 'countinghouse';

/** Tells whether a folder contains a Postgres cluster. */
export async function isPostgresCluster(folder: string): Promise<boolean> {
  const made = await stat(join(folder, 'PG_VERSION')).catch(() => undefined);
  return made !== undefined;
}

/** A folder with a Postgres cluster. The methods create the cluster and stop servers that run on the cluster. */
export class PostgresCluster {
  private constructor(
    readonly folder: string,
    readonly binaries: PostgresBinaries,
    readonly user: PostgresOsUser,
  ) {}

  /**
   * Opens the cluster in `folder`, and creates it first if it is missing. When `signal` is aborted, the creation stops and leaves no
   * cluster.
   */
  static async open(folder: string, password: string, signal?: AbortSignal): Promise<PostgresCluster> {
    // The folder is created first, since the user that runs the server depends on who can access the folder.
    await mkdir(dirname(folder), { recursive: true });
    const binaries = await findPostgresBinaries();
    const cluster = new PostgresCluster(
      folder,
      binaries,
      await choosePostgresUser(folder, binaries.postgres),
    );
    if (!(await isPostgresCluster(folder))) await cluster.initialise(password, signal);
    return cluster;
  }

  /**
   * Stops a server that an earlier run left running on this folder, and removes the files that it left. The pid of the earlier server may
   * now belong to an unrelated program, so the server is also recognized by its command line.
   */
  async stopLeftoverServer(): Promise<void> {
    const pidFile = join(this.folder, 'postmaster.pid');
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
    if (Number.isNaN(pid)) return;
    if ((await processCommandLine(pid))?.includes(this.folder)) await this.stop();
    else await rm(pidFile, { force: true });
  }

  /**
   * Stops the server on this folder in an orderly way. A server that still runs after 10 s is stopped immediately. The next start then
   * recovers the data.
   */
  async stop(): Promise<void> {
    const stop = (mode: string) =>
      this.run(this.binaries.pgCtl, ['stop', '-D', this.folder, '-m', mode, '-w', '-t', '10']);
    await stop('fast').catch(() => stop('immediate'));
  }

  private async initialise(password: string, signal?: AbortSignal): Promise<void> {
    // The cluster is created in another folder and then renamed. So an interrupted start leaves no incomplete cluster.
    const draft = `${this.folder}.new`;
    const passwordFile = `${this.folder}.password-${randomUUID()}`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    const { ids } = this.user;
    if (ids) for (const path of [draft, passwordFile]) await chown(path, ids.uid, ids.gid);
    try {
      await this.run(
        this.binaries.initdb,
        [
          '--pgdata',
          draft,
          '--username',
          embeddedDatabaseAndRole,
          '--pwfile',
          passwordFile,
          // The builtin locale sorts the same on every machine, independent of its operating system.
          '--auth=scram-sha-256',
          '--encoding=UTF8',
          '--locale-provider=builtin',
          '--builtin-locale=C.UTF-8',
          '--locale=C',
          '--no-instructions',
        ],
        signal,
      );
    } catch (error) {
      const why = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
      throw new CliError(
        `Postgres could not make its data folder ${this.folder}: ${why.replaceAll('\n', ' ')}`,
      );
    } finally {
      await rm(passwordFile, { force: true });
    }
    signal?.throwIfAborted();
    await rm(this.folder, { recursive: true, force: true });
    await rename(draft, this.folder);
  }

  private async run(name: string, argumentList: string[], signal?: AbortSignal): Promise<void> {
    const { program, args, ...credentials } = this.user.command(name, argumentList);
    await execute(program, args, { ...credentials, env: serverEnvironment(), ...(signal && { signal }) });
  }
}

/**
 * Returns the environment of the Postgres programs. The messages of the server are in English, since its log is searched for the message
 * that it is ready.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}
