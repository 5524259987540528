// When this process is to end: somebody says so by a signal, or npm, which has run us, is gone without a word.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const LOOK_MILLIS = 200;
const listeners = new Set();
let first;

/** From now on signals no longer end this process by themselves: whoever listens is told of them. */
export function listenForEnd() {
  for (const signal of SIGNALS) process.on(signal, () => tell(signal));
  // npm passes a signal on to its shell alone, and the shell passes on none; one that is killed tells nobody at all.
  if (process.env.npm_lifecycle_event !== undefined)
    whenRunnerIsGone(() => {
      if (first === undefined) tell('SIGTERM');
    });
}

/**
 * The name of the signal by which this process was first told to end; undefined while it was not.
 *
 * @returns {NodeJS.Signals | undefined}
 */
export function toldToEnd() {
  return first;
}

/**
 * Calls `listener` with the name of each signal from now on, and at once if there was one already.
 *
 * @param {(signal: NodeJS.Signals) => void} listener
 * @returns {() => void} ends it
 */
export function whenToldToEnd(listener) {
  listeners.add(listener);
  if (first !== undefined) listener(first);
  return () => listeners.delete(listener);
}

function tell(signal) {
  first ??= signal;
  for (const listener of listeners) listener(signal);
}

/** Calls `gone` when npm has ended, or the shell between npm and us. The system tells nobody, so this looks again and again. */
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

/** Whether npm no longer runs. On Linux its shell has then got another parent, also while npm is still to be reaped. */
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

/** Parent and command line of a process; on Windows, where npm ends its shell with it, they are not asked for. */
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
