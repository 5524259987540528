import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { BEGIN, EXITING } from '#libs/kernel/runtime';
import { failureIn } from './log-line.js';

/** A program of ours that runs as a process of its own and says when it is ready. */
export interface Program {
  /** Its name on the terminal and of its log file. */
  name: string;
  /** The compiled file that it runs. */
  file: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** The names of the supervised programs that it cannot work without. */
  needs?: readonly string[];
  /** How long it may take to end in an orderly way; 20 s if not given. */
  graceMillis?: number;
}

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that was started by {@link launch}. */
export interface Launched {
  pid: number | undefined;
  /** The port that it listens on, if it does. Rejects when it ends before it says that it is ready. */
  ready: Promise<number | undefined>;
  exited: Promise<Exit>;
  /** Lets it begin, if it was held back. */
  letBegin(): void;
  /** What its last output says about why it failed; empty when it said nothing. */
  failure(): string;
  /** Asks it to end, and ends it by force when it has not within its grace. */
  stop(): Promise<Exit>;
}

// Enough for the stack of an exception.
const tailLength = 50;
// Exiting takes milliseconds; on a machine with far too much to do, a second or two.
const EXIT_MILLIS = 5_000;
const running = new Set<ChildProcess>();

/** Ends everything that was launched by force, for a person who will not wait. */
export function killLaunched(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts a program. Five things are agreed with every one of them:
 * - It prints a JSON line `{"event":"listening","service":…,"port":…}` when it is ready.
 * - On SIGTERM it finishes what is in flight and exits with 0.
 * - It does the same when its IPC channel closes. So it learns that we are gone, however we went.
 * - If it is held back (`START_HELD=1`), it loads its code, and begins when that channel says so.
 * - It says over that channel that it exits, whatever the reason. If it still runs 5 s later, it hangs and is ended by force.
 *
 * It gets a process group of its own, so that Ctrl-C reaches us alone and the order of stopping is ours.
 */
export function launch(
  program: Program,
  onLine: (line: string) => void = () => undefined,
  { held = false } = {},
): Launched {
  const child = spawn(process.execPath, [program.file, ...(program.args ?? [])], {
    env: { ...process.env, ...program.env, SUPERVISED: '1', START_HELD: held ? '1' : '' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  running.add(child);

  child.on('message', (message) => {
    if (message !== EXITING) return;
    const force = setTimeout(() => child.kill('SIGKILL'), EXIT_MILLIS);
    child.once('exit', () => clearTimeout(force));
  });

  const tail: string[] = [];
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('exit', () => {
      running.delete(child);
      endGroup(child.pid);
    });
    // 'close' comes after the last output was read, so that the line that says why is not missed.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<number | undefined>((resolve, reject) => {
    const read = (stream: Readable) =>
      createInterface({ input: stream }).on('line', (line) => {
        onLine(line);
        tail.push(line);
        if (tail.length > tailLength) tail.shift();
        const listening = listeningLine(line);
        if (listening) resolve(listening.port ?? undefined);
      });
    for (const stream of [child.stdout, child.stderr]) if (stream) read(stream);
    void exited.then((exit) =>
      reject(new EndedTooEarly(program.name, failureIn(tail) || describeExit(exit))),
    );
  });
  // Whoever does not wait for readiness must not crash on its failure.
  ready.catch(() => undefined);

  return {
    pid: child.pid,
    ready,
    exited,
    letBegin: () => {
      // One that has ended meanwhile has closed the channel; `exited` tells of that.
      if (child.connected) child.send(BEGIN, () => undefined);
    },
    failure: () => failureIn(tail),
    stop: async () => {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), program.graceMillis ?? 20_000);
      return exited.finally(() => clearTimeout(force));
    },
  };
}

/** A program ended before it was ready; the message says why, in its own words if it had any. */
export class EndedTooEarly extends Error {
  constructor(
    readonly program: string,
    reason: string,
  ) {
    super(`${program} did not start: ${reason.replace(/^could not start: /, '')}`);
  }
}

/** An exit in words: `exit code 1`, `SIGKILL`. */
export const describeExit = (exit: Exit): string => exit.signal ?? `exit code ${exit.code ?? 'unknown'}`;

/** Ends what a process has left running in its group: one that was killed could not end its own children. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === 'win32') return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // There was nothing left, as it should be.
  }
}

function listeningLine(line: string): { port?: number | null } | undefined {
  return line.startsWith('{"event":"listening"') ? (JSON.parse(line) as { port?: number | null }) : undefined;
}
