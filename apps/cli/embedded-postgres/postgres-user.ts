import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from '../cli-error.js';

const run = promisify(execFile);

/** The operating system user that runs the Postgres programs, and the way to start a program as this user. */
export interface PostgresOsUser {
  /** The ids of the user, who must own the data folder. Absent if Postgres runs as the same user as this program. */
  ids?: { uid: number; gid: number };
  command(program: string, args: string[]): { program: string; args: string[]; uid?: number; gid?: number };
}

const ourselves: PostgresOsUser = { command: (program, args) => ({ program, args }) };

/**
 * Chooses the user that runs Postgres, because Postgres refuses to run as root. The current user is chosen unless it is root, as in most
 * containers. Instead of root, the owner of the data folder is chosen, or else `postgres`, or else `nobody`. No user is created. Under
 * /root, for example, the chosen user cannot enter the folder of the cluster or of the Postgres programs. `setpriv` then gives the user the
 * capability `dac_override`.
 *
 * @param dataFolder the folder of the cluster, which need not exist yet
 * @param program a Postgres program, to check that the user can access it
 */
export async function choosePostgresUser(dataFolder: string, program: string): Promise<PostgresOsUser> {
  if (process.getuid?.() !== 0) return ourselves;
  const owner = (await ownerOf(dataFolder)) ?? (await userNamed('postgres')) ?? (await userNamed('nobody'));
  if (!owner)
    throw new CliError('Postgres does not run as root: start as an ordinary user, or set DATABASE_URL');

  const reachable = await Promise.all(
    [dirname(dataFolder), dirname(program)].map((at) => canEnter(at, owner)),
  );
  if (reachable.every(Boolean))
    return { ids: owner, command: (name, args) => ({ program: name, args, ...owner }) };

  const setpriv = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    // Without this, access(2) ignores the capabilities of users other than root. initdb uses access(2) to find its programs.
    '--securebits=+no_setuid_fixup',
  ];
  const prefix = [...setpriv, '--ambient-caps=+dac_override', '--'];
  await run('setpriv', [...prefix, program, '--version']).catch(() => {
    throw new CliError(
      `Postgres does not run as root, and user ${owner.uid} cannot enter ${dataFolder} or ${dirname(program)}: ` +
        'start as an ordinary user, or from a folder that all users may enter',
    );
  });
  return { ids: owner, command: (name, args) => ({ program: 'setpriv', args: [...prefix, name, ...args] }) };
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await stat(folder).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function userNamed(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function canEnter(folder: string, user: { uid: number; gid: number }): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  if (found) {
    const bit = found.uid === user.uid ? 0o100 : found.gid === user.gid ? 0o010 : 0o001;
    if ((found.mode & bit) === 0) return false;
  }
  const parent = dirname(folder);
  return parent === folder || canEnter(parent, user);
}
