import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CliError } from '../cli-error.js';
import { tryParseJson } from '../json-text.js';
import { processStartTime } from '../processes/process-list.js';

/** The secrets of a data folder. The secrets are generated once, and must not change while the folder has data. */
export interface Secrets {
  postgresPassword: string;
  /** The key that signs access tokens; absent if the instance has only run with JWT_SECRET. */
  jwtSecret?: string;
}

interface Owner {
  pid: number;
  start: string | undefined;
}

const NO_PROCESS: Owner = { pid: 0, start: undefined };

/**
 * A folder with only these names has no data yet. The names are those of an unpacked browser, of files that are written before the data,
 * and of the folder `lost+found` in a new volume.
 */
const NAMES_WITHOUT_DATA = [
  'chromium',
  'lock',
  'logs',
  'lost+found',
  'ports.json',
  'secrets.json.new',
  'unfinished-restore',
];

/** The files that mark a data folder. An instance or a restore creates one of these files before any data. */
const DATA_FOLDER_MARKS = ['secrets.json', 'unfinished-restore'];

/**
 * The data folder of one instance (`DATA_DIR`). Only one supervisor holds the lock of a data folder at a time. A killed supervisor leaves
 * its lock file behind. The next supervisor can still use the folder, because the process in the lock file no longer exists.
 */
export class DataFolder {
  private constructor(
    readonly path: string,
    /** Tells whether the previous supervisor was killed. Some processes of a killed supervisor may still be ending. */
    readonly wasAbandoned: boolean,
    private readonly lockText: string,
  ) {}

  /**
   * Creates the folder if it is missing, and locks it. Throws a {@link CliError} and changes nothing if another instance uses the folder,
   * or if the folder contains unrelated files.
   */
  static async acquire(given: string): Promise<DataFolder> {
    const path = resolve(given);
    const found = await namesIn(path);
    if (!found.some((name) => DATA_FOLDER_MARKS.includes(name))) requireNoData(path, found);
    try {
      // When root starts the instance, Postgres runs as another user. That user must be able to enter the folder, but nobody may list it.
      const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
      await makeFolders(join(path, 'logs'));
      await chmod(path, mode);
    } catch (error) {
      throw unusableFolderError(path, error as Error);
    }
    const owner: Owner = { pid: process.pid, start: await processStartTime(process.pid) };
    const lockText = JSON.stringify(owner);
    return new DataFolder(path, await takeLock(join(path, 'lock'), path, lockText), lockText);
  }

  /** Throws a {@link CliError} if the folder contains an instance or unrelated files. The folder need not exist. */
  static async requireEmpty(path: string): Promise<void> {
    requireNoData(path, await namesIn(path));
  }

  /** Tells whether a running process holds the folder's lock: an instance, or a backup or restore that runs the folder's Postgres. */
  static async isInUse(path: string): Promise<boolean> {
    const owner = await readOwner(join(path, 'lock'));
    return owner !== undefined && (await isRunning(owner));
  }

  /** Reads the existing secrets of a folder. Creates none. */
  static secretsOf(path: string): Promise<Partial<Secrets>> {
    return readSecrets(join(path, 'secrets.json'));
  }

  /** The folder of the embedded Postgres cluster. */
  get postgresFolder(): string {
    return join(this.path, 'postgres');
  }

  logPathOf(service: string): string {
    return join(this.path, 'logs', `${service}.log`);
  }

  /**
   * Returns the folder's secrets. A given secret is stored if the folder has none of its name. If the folder has no password of Postgres and
   * none is given, a generated password is stored.
   */
  async getOrCreateSecrets(given: Partial<Secrets> = {}): Promise<Secrets> {
    const path = join(this.path, 'secrets.json');
    const kept = await readSecrets(path);
    const jwtSecret = kept.jwtSecret ?? given.jwtSecret;
    const secrets: Secrets = {
      postgresPassword:
        kept.postgresPassword ?? given.postgresPassword ?? randomBytes(24).toString('base64url'),
      ...(jwtSecret === undefined ? {} : { jwtSecret }),
    };
    if (kept.postgresPassword && kept.jwtSecret === jwtSecret) return secrets;
    const draft = `${path}.new`;
    await writeFile(draft, `${JSON.stringify(secrets, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, path);
    return secrets;
  }

  /** Returns the folder's key that signs access tokens. If the folder has none, a generated key is stored. */
  async getOrCreateJwtSecret(): Promise<string> {
    const generated = randomBytes(48).toString('base64url');
    const { jwtSecret = generated } = await this.getOrCreateSecrets({ jwtSecret: generated });
    return jwtSecret;
  }

  /** Releases the lock of the folder. A lock of another process stays. */
  async release(): Promise<void> {
    const lock = join(this.path, 'lock');
    const text = await readFile(lock, 'utf8').catch(() => undefined);
    if (text === this.lockText) await rm(lock, { force: true });
  }
}

async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw unusableFolderError(path, error);
  });
}

function requireNoData(path: string, found: readonly string[]): void {
  // A process that is killed while it takes the lock leaves files behind whose names begin with "lock.".
  const other = found.find((name) => !NAMES_WITHOUT_DATA.includes(name) && !name.startsWith('lock.'));
  if (other !== undefined)
    throw new CliError(
      `The data folder ${path} is not empty: it has "${other}". Set DATA_DIR to a new folder, or move this one away`,
    );
}

function unusableFolderError(path: string, { message }: Error): CliError {
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
    // New secrets are not generated here. They would not open the database, and would end every user's session.
    throw new CliError(
      `${path} is broken; restore it from a backup, or remove the whole folder to start without data`,
    );
  }
}

/** Creates the lock file with the text. Returns true if a killed supervisor had left a lock file behind. */
async function takeLock(lock: string, folder: string, text: string): Promise<boolean> {
  // The lock file appears together with its content, so no other process reads an incomplete one.
  const draft = `${lock}.${randomUUID()}`;
  try {
    await writeFile(draft, text);
    if (await createLink(draft, lock)) return false;
    await requireNotRunning(await readOwner(lock), folder);
    // Several supervisors may have read the same abandoned lock. Only one at a time may remove a lock, and it reads the lock again before.
    const takeover = `${lock}.takeover`;
    await takeLock(takeover, folder, text);
    try {
      const owner = await readOwner(lock);
      await requireNotRunning(owner, folder);
      if (owner) await rm(lock);
      if (await createLink(draft, lock)) return owner !== undefined;
      throw new CliError(`The data folder ${folder} was just taken by another Countinghouse`);
    } finally {
      await rm(takeover, { force: true });
    }
  } catch (error) {
    throw error instanceof CliError ? error : unusableFolderError(folder, error as Error);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Gives a file a second name. Returns false if a file with that name exists. */
async function createLink(path: string, name: string): Promise<boolean> {
  return link(path, name).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

async function requireNotRunning(owner: Owner | undefined, folder: string): Promise<void> {
  if (owner && (await isRunning(owner)))
    throw new CliError(
      `The data folder ${folder} is in use by another Countinghouse (process ${owner.pid}); stop that one, or set DATA_DIR to another folder`,
    );
}

/** Creates missing folders one by one. Node's recursive `mkdir` never ends if no folder can be created in the parent, such as `/proc`. */
async function makeFolders(path: string): Promise<void> {
  if (dirname(path) !== path) await makeFolders(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Reads who holds a lock; undefined if there is no lock file. The owner of an incomplete file, as after a power failure, never runs. */
async function readOwner(lock: string): Promise<Owner | undefined> {
  return readFile(lock, 'utf8').then(
    (text) => (tryParseJson(text) as Owner | null | undefined) ?? NO_PROCESS,
    () => undefined,
  );
}

async function isRunning({ pid, start }: Owner): Promise<boolean> {
  const running = await processStartTime(pid);
  return running !== undefined && running === start;
}
