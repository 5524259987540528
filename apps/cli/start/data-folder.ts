import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CliError } from '../cli-error.js';
import { startOf } from '../processes/process-list.js';

/** What is generated once for a data folder and must stay the same for as long as there is data in it. */
export interface Secrets {
  postgresPassword: string;
  jwtSecret: string;
}

interface Owner {
  pid: number;
  start: string | undefined;
}

/** What may be in a folder that counts as empty: what is made before there is data, programs, and what a new volume has. */
const NO_DATA = [
  'chromium',
  'lock',
  'logs',
  'lost+found',
  'ports.json',
  'secrets.json.new',
  'unfinished-restore',
];

/** An instance, or a restore, makes one of these before anything that it keeps. */
const MARKS = ['secrets.json', 'unfinished-restore'];

/**
 * The folder of one instance (`DATA_DIR`), held by one supervisor at a time. A supervisor that was killed leaves its
 * lock file; it does not keep the next one out, since the file names a process that is no longer there.
 */
export class DataFolder {
  private constructor(
    readonly path: string,
    /** Whether the instance before did not get to clean up, and parts of it may still be ending. */
    readonly wasAbandoned: boolean,
  ) {}

  /**
   * Makes the folder if need be and takes it. Throws a {@link CliError} when another instance has it, or when it is not empty and no
   * folder of ours; it is then left as it was.
   */
  static async take(given: string): Promise<DataFolder> {
    const path = resolve(given);
    const found = await namesIn(path);
    if (!found.some((name) => MARKS.includes(name))) requireNoData(path, found);
    try {
      // Root's Postgres runs as another user, who must be able to pass through; nobody else may look inside.
      const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
      await makeFolders(join(path, 'logs'));
      await chmod(path, mode);
    } catch (error) {
      throw unusable(path, error as Error);
    }
    return new DataFolder(path, await takeLock(join(path, 'lock'), path));
  }

  /** Throws a {@link CliError} when the folder has something, be it an instance or what is not ours. It need not be there. */
  static async requireEmpty(path: string): Promise<void> {
    requireNoData(path, await namesIn(path));
  }

  /** Whether an instance runs in the folder now. */
  static async isInUse(path: string): Promise<boolean> {
    const owner = await readOwner(join(path, 'lock'));
    return owner !== undefined && (await isRunning(owner));
  }

  /** The secrets of a folder, as far as it has any. Makes none. */
  static secretsOf(path: string): Promise<Partial<Secrets>> {
    return readSecrets(join(path, 'secrets.json'));
  }

  get postgres(): string {
    return join(this.path, 'postgres');
  }

  logOf(service: string): string {
    return join(this.path, 'logs', `${service}.log`);
  }

  /** The folder's secrets. The first call ever takes those that are given, and makes the others. */
  async secrets(given: Partial<Secrets> = {}): Promise<Secrets> {
    const path = join(this.path, 'secrets.json');
    const kept = await readSecrets(path);
    const secrets: Secrets = {
      postgresPassword:
        kept.postgresPassword ?? given.postgresPassword ?? randomBytes(24).toString('base64url'),
      jwtSecret: kept.jwtSecret ?? given.jwtSecret ?? randomBytes(48).toString('base64url'),
    };
    if (kept.postgresPassword && kept.jwtSecret) return secrets;
    const draft = `${path}.new`;
    await writeFile(draft, `${JSON.stringify(secrets, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, path);
    return secrets;
  }

  /** Gives the folder up. */
  async release(): Promise<void> {
    await rm(join(this.path, 'lock'), { force: true });
  }
}

async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw unusable(path, error);
  });
}

function requireNoData(path: string, found: readonly string[]): void {
  const other = found.find((name) => !NO_DATA.includes(name));
  if (other !== undefined)
    throw new CliError(
      `The data folder ${path} is not empty: it has "${other}". Set DATA_DIR to a new folder, or move this one away`,
    );
}

function unusable(path: string, { message }: Error): CliError {
  return new CliError(`The data folder ${path} cannot be used (${message}); set DATA_DIR to another`);
}

async function readSecrets(path: string): Promise<Partial<Secrets>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new CliError(`${path} cannot be read: ${error.message}`);
  });
  try {
    return JSON.parse(text) as Partial<Secrets>;
  } catch {
    // New ones would lock us out of the database, and every session with it.
    throw new CliError(
      `${path} is broken; restore it from a backup, or remove the whole folder to start afresh`,
    );
  }
}

/** Takes the lock file; true when a supervisor that is gone had left it behind. */
async function takeLock(lock: string, folder: string): Promise<boolean> {
  const us: Owner = { pid: process.pid, start: await startOf(process.pid) };
  const write = () => writeFile(lock, JSON.stringify(us), { flag: 'wx' });
  const taken = await write().then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw unusable(folder, error);
    },
  );
  if (taken) return false;

  const owner = await readOwner(lock);
  if (owner && (await isRunning(owner)))
    throw new CliError(
      `The data folder ${folder} is in use by another Countinghouse (process ${owner.pid}); stop that one, or set DATA_DIR to another folder`,
    );
  await rm(lock, { force: true });
  // Of two that come here at once the second fails on the file that the first has written.
  await write().catch(() => {
    throw new CliError(`The data folder ${folder} was just taken by another Countinghouse`);
  });
  return true;
}

/** One by one: Node's own recursion never ends where the parent is there and takes no folder, as in `/proc`. */
async function makeFolders(path: string): Promise<void> {
  if (dirname(path) !== path) await makeFolders(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function readOwner(lock: string): Promise<Owner | undefined> {
  return readFile(lock, 'utf8').then(
    (text) => JSON.parse(text) as Owner,
    () => undefined,
  );
}

async function isRunning({ pid, start }: Owner): Promise<boolean> {
  const running = await startOf(pid);
  return running !== undefined && running === start;
}
