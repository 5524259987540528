import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from '../cli-error.js';

const run = promisify(execFile);

/** Who the server programs run as, and how a program is started so that it does. */
export interface OperatingUser {
  /** Set when it is another user than our own; the data folder must then belong to it. */
  owner?: { uid: number; gid: number };
  command(program: string, args: string[]): { program: string; args: string[]; uid?: number; gid?: number };
}

const ourselves: OperatingUser = { command: (program, args) => ({ program, args }) };

/**
 * Postgres refuses to run as root. As root (in a container, mostly) it runs as the owner that the data folder already
 * has, else as `postgres`, else as `nobody`; no user is made. Where that user cannot enter the folders, as with a clone
 * under /root, `setpriv` hands it the one capability that lets it.
 *
 * @param dataFolder folder of the cluster, which need not be there yet
 * @param program a program of the server, to check that the user can reach it
 */
export async function operatingUser(dataFolder: string, program: string): Promise<OperatingUser> {
  if (process.getuid?.() !== 0) return ourselves;
  const owner = (await ownerOf(dataFolder)) ?? (await userNamed('postgres')) ?? (await userNamed('nobody'));
  if (!owner)
    throw new CliError('Postgres does not run as root: start as an ordinary user, or set DATABASE_URL');

  const reachable = await Promise.all(
    [dirname(dataFolder), dirname(program)].map((at) => canEnter(at, owner)),
  );
  if (reachable.every(Boolean))
    return { owner, command: (name, args) => ({ program: name, args, ...owner }) };

  const setpriv = [
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    // Else access(2), by which initdb looks for its programs, counts no capability of whoever is not root.
    '--securebits=+no_setuid_fixup',
  ];
  const prefix = [...setpriv, '--ambient-caps=+dac_override', '--'];
  await run('setpriv', [...prefix, program, '--version']).catch(() => {
    throw new CliError(
      `Postgres does not run as root, and user ${owner.uid} cannot enter ${dataFolder} or ${dirname(program)}: ` +
        'start as an ordinary user, or from a folder that all users may enter',
    );
  });
  return { owner, command: (name, args) => ({ program: 'setpriv', args: [...prefix, name, ...args] }) };
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
