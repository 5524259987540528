import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A program of ours that runs as a process of its own and says when it is ready. */
export interface Program {
  /** Its name on the terminal and of its log file. */
  name: string;
  /** The compiled file that it runs. */
  file: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** How long it may take to end in an orderly way; 10 s if not given. */
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
  /** The port that it listens on. Rejects when it ends before it says that it is ready. */
  ready: Promise<number>;
  exited: Promise<Exit>;
  /** Asks it to end, and ends it by force when it has not within its grace. */
  stop(): Promise<Exit>;
}

const running = new Set<ChildProcess>();

/** Ends everything that was launched by force, for a person who will not wait. */
export function killLaunched(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts a program. Three things are agreed with every one of them: it prints a JSON line
 * `{"event":"listening","service":…,"port":…}` when it is ready, it finishes what is in flight and exits with 0 on
 * SIGTERM, and it does the same when its stdin closes, which is how it learns that we are gone, however we went.
 *
 * It gets a process group of its own, so that Ctrl-C reaches us alone and the order of stopping is ours.
 */
export function launch(program: Program, onLine: (line: string) => void = () => undefined): Launched {
  const child = spawn(process.execPath, [program.file, ...(program.args ?? [])], {
    env: { ...process.env, ...program.env, SUPERVISED: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  running.add(child);

  let lastLine = '';
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('exit', () => {
      running.delete(child);
      endGroup(child.pid);
    });
    // 'close' comes after the last output was read, so that the line that says why is not missed.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<number>((resolve, reject) => {
    const read = (stream: Readable) =>
      createInterface({ input: stream }).on('line', (line) => {
        onLine(line);
        const port = listeningPort(line);
        if (port !== undefined) resolve(port);
        else if (line.trim() !== '') lastLine = line;
      });
    read(child.stdout);
    read(child.stderr);
    void exited.then((exit) => reject(new EndedTooEarly(program.name, exit, lastLine)));
  });
  // Whoever does not wait for readiness must not crash on its failure.
  ready.catch(() => undefined);

  return {
    pid: child.pid,
    ready,
    exited,
    stop: async () => {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), program.graceMillis ?? 10_000);
      return exited.finally(() => clearTimeout(force));
    },
  };
}

/** A program ended before it was ready; the message carries what it said last. */
export class EndedTooEarly extends Error {
  constructor(
    readonly program: string,
    readonly exit: Exit,
    readonly lastLine: string,
  ) {
    super(`${program} did not start: ${reason(lastLine) || describeExit(exit)}`);
  }
}

/** An exit in words: `exit code 1`, `SIGKILL`. */
export const describeExit = (exit: Exit): string => exit.signal ?? `exit code ${exit.code ?? 'unknown'}`;

/** The message of a JSON log line, or the line itself when it is not one. */
export function reason(line: string): string {
  if (!line.startsWith('{')) return line.trim();
  try {
    const entry = JSON.parse(line) as { msg?: unknown; err?: { message?: unknown } };
    return [entry.msg, entry.err?.message].filter((part) => typeof part === 'string').join(': ');
  } catch {
    return line.trim();
  }
}

/** Ends what a process has left running in its group: one that was killed could not end its own children. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === 'win32') return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // There was nothing left, as it should be.
  }
}

function listeningPort(line: string): number | undefined {
  if (!line.startsWith('{"event":"listening"')) return undefined;
  const { port } = JSON.parse(line) as { port?: unknown };
  return typeof port === 'number' ? port : undefined;
}
