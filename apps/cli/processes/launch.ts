import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { BEGIN_MESSAGE, EXITING_MESSAGE, readListening } from '#libs/kernel/runtime';
import { withoutFilesOf } from '#libs/kernel/system';
import { findFailureReason } from './log-line.js';

/** A Countinghouse program that runs as its own process and reports when it is ready. */
export interface Program {
  /** The program's name on the terminal and of its log file. */
  name: string;
  /** The compiled file to run. */
  file: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** The names of the supervised programs that this program needs. */
  needs?: readonly string[];
  /** The time that the process has for an orderly stop. Default: 20 s. */
  graceMillis?: number;
}

/** The exit code or the signal with which a process ended. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that was started by {@link launch}. */
export interface LaunchedProcess {
  pid: number | undefined;
  /** Resolves when the process is ready, with its port if it listens on one. Rejects if the process ends before it is ready. */
  readyPort: Promise<number | undefined>;
  exited: Promise<ProcessExit>;
  /** Lets a process that was started with `held` begin its work. */
  beginWork(): void;
  /** Returns the error message in the last output of the process; empty if there was no output. */
  failureReason(): string;
  /** Asks the process to stop, and kills it if it has not stopped within its grace period. */
  stop(): Promise<ProcessExit>;
}

// These lines are enough for the stack of an exception.
const tailLength = 50;
// An exit usually takes milliseconds, and a second or two on an overloaded machine.
const EXIT_MILLIS = 5_000;
const running = new Set<ChildProcess>();

/** Kills all launched processes, for a user who does not want to wait. */
export function killLaunchedProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts a program as a child process. Every program follows these rules:
 * - It logs an entry with `"event":"listening"` and its port when it is ready.
 * - On SIGTERM it finishes the work in progress and exits with 0.
 * - It does the same when its IPC channel closes. A child therefore also stops when this process was killed.
 * - With `START_HELD=1` it only loads its code, and begins when it receives the message to begin over the IPC channel.
 * - It reports over the IPC channel that it is about to exit. A process that still runs 5 s after this report is killed.
 *
 * The child gets its own process group. Ctrl-C therefore reaches only this process, which stops the programs in the right order.
 */
export function launch(
  program: Program,
  onLine: (line: string) => void = () => undefined,
  { held = false } = {},
): LaunchedProcess {
  const child = spawn(process.execPath, [program.file, ...(program.args ?? [])], {
    env: {
      ...process.env,
      ...withoutFilesOf(program.env ?? {}),
      ...program.env,
      SUPERVISED: '1',
      START_HELD: held ? '1' : '',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  running.add(child);

  child.on('message', (message) => {
    if (message !== EXITING_MESSAGE) return;
    const force = setTimeout(() => child.kill('SIGKILL'), EXIT_MILLIS);
    child.once('exit', () => clearTimeout(force));
  });

  const tail: string[] = [];
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('exit', () => {
      running.delete(child);
      killProcessGroup(child.pid);
    });
    // The event 'close' comes after the last output was read, so the line with the error is not missed.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<number | undefined>((resolve, reject) => {
    const read = (stream: Readable) =>
      createInterface({ input: stream }).on('line', (line) => {
        onLine(line);
        tail.push(line);
        if (tail.length > tailLength) tail.shift();
        const listening = readListening(line);
        if (listening) resolve(listening.port ?? undefined);
      });
    for (const stream of [child.stdout, child.stderr]) if (stream) read(stream);
    void exited.then((exit) =>
      reject(new EndedBeforeReadyError(program.name, findFailureReason(tail) || describeExit(exit))),
    );
  });
  // If nobody awaits the readiness, its rejection must not end this process.
  ready.catch(() => undefined);

  return {
    pid: child.pid,
    readyPort: ready,
    exited,
    beginWork: () => {
      // A process that has ended has closed the channel. `exited` reports that.
      if (child.connected) child.send(BEGIN_MESSAGE, () => undefined);
    },
    failureReason: () => findFailureReason(tail),
    stop: async () => {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), program.graceMillis ?? 20_000);
      return exited.finally(() => clearTimeout(force));
    },
  };
}

/** The error of a program that ended before it was ready. The message has the program's own error message, if there is one. */
export class EndedBeforeReadyError extends Error {
  constructor(
    readonly program: string,
    reason: string,
  ) {
    super(`${program} did not start: ${reason.replace(/^could not start: /, '')}`);
  }
}

/** Describes an exit, such as `exit code 1` or `SIGKILL`. */
export const describeExit = (exit: ProcessExit): string =>
  exit.signal ?? `exit code ${exit.code ?? 'unknown'}`;

/** Kills the remaining processes in a process group. A killed process could not stop its own children. */
function killProcessGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === 'win32') return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Usually the group has ended already.
  }
}
