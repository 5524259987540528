// Detects that this process must stop, because it received a signal, or because npm started it and has ended without sending one.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const LOOK_MILLIS = 200;
const listeners = new Set();
let first;

/** Handles the stop signals. From now on they do not end this process, but are reported to the listeners. */
export function handleStopSignals() {
  for (const signal of SIGNALS) process.on(signal, () => tell(signal));
  // npm forwards a signal only to its shell, and the shell does not forward it. A killed npm forwards nothing.
  if (process.env.npm_lifecycle_event !== undefined)
    whenRunnerIsGone(() => {
      if (first === undefined) tell('SIGTERM');
    });
}

/**
 * Returns the name of the first signal that told this process to stop, or undefined if there was none yet.
 *
 * @returns {NodeJS.Signals | undefined}
 */
export function firstStopSignal() {
  return first;
}

/**
 * Calls `listener` with the name of each further signal. If there was a signal already, it calls `listener` at once.
 *
 * @param {(signal: NodeJS.Signals) => void} listener
 * @returns {() => void} removes the listener
 */
export function onStopSignal(listener) {
  listeners.add(listener);
  if (first !== undefined) listener(first);
  return () => listeners.delete(listener);
}

function tell(signal) {
  first ??= signal;
  for (const listener of listeners) listener(signal);
}

/**
 * Calls `gone` when npm, or the shell between npm and this process, has ended. The function polls, since the system sends no notification.
 */
function whenRunnerIsGone(gone) {
  const parent = process.ppid;
  const { parent: npm, args } = entryOf(parent);
  const isShell = /^\S+ -c /.test(args);
  const timer = setInterval(() => {
    if (process.ppid === parent && isRunning(parent) && !(isShell && hasLost(parent, npm))) return;
    clearInterval(timer);
    gone();
  }, LOOK_MILLIS);
  timer.unref();
}

/** Tells whether npm has ended. On Linux, the parent of npm's shell changes when npm ends, even while npm is a zombie. */
function hasLost(shell, npm) {
  return process.platform === 'linux' ? entryOf(shell).parent !== npm : !isRunning(npm);
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Returns the parent and the command line of a process. Returns neither on Windows, because npm ends its shell together with itself there.
 */
function entryOf(pid) {
  if (process.platform === 'win32') return { parent: undefined, args: '' };
  try {
    if (process.platform !== 'linux') {
      const { stdout } = spawnSync('ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)], {
        encoding: 'utf8',
      });
      const [, parent, args = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout) ?? [];
      return { parent: Number(parent), args };
    }
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return { parent: Number(fields.slice(fields.lastIndexOf(')') + 2).split(' ')[1]), args };
  } catch {
    return { parent: undefined, args: '' };
  }
}
