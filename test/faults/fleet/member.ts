import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describeExit, type ProcessExit, launch, type LaunchedProcess, type Program } from '#apps/cli';

const FIRST_PAUSE_MILLIS = 200;
const MAX_PAUSE_MILLIS = 2_000;

/** One process of a fleet. It is started again whenever it ends, until it is told to stay down. */
export class Member {
  readonly program: Program;
  private readonly onLine: (line: string) => void;
  private readonly victims: (pid: number) => Promise<number[]>;
  private current: LaunchedProcess | undefined;
  private isUp = false;
  private keeping: Promise<void> | undefined;
  private stay = new AbortController();
  private readonly changes = new EventEmitter();
  /** How it has ended so far, and what it said about that. */
  readonly ends: { exit: ProcessExit; words: string }[] = [];

  /** @param victims the processes that `kill` ends; by default the one that was started */
  constructor(
    program: Program,
    onLine: (line: string) => void,
    victims: (pid: number) => Promise<number[]> = async (pid) => [pid],
  ) {
    this.program = program;
    this.onLine = onLine;
    this.victims = victims;
  }

  get name(): string {
    return this.program.name;
  }

  get pid(): number | undefined {
    return this.current?.pid;
  }

  get isReady(): boolean {
    return this.isUp;
  }

  /** Starts it, if it does not run, and resolves when it is ready. Rejects when its first start fails. */
  async start(): Promise<void> {
    this.stay = new AbortController();
    this.keeping ??= this.keep().finally(() => (this.keeping = undefined));
    const ends = this.ends.length;
    await this.ready(() => {
      if (this.ends.length === ends) return;
      throw new Error(`${this.name} did not start: ${this.ends.at(-1)!.words}`);
    });
  }

  /** Resolves when it is ready, now or after it was started again. */
  async ready(look: () => void = () => undefined): Promise<void> {
    while (!this.isUp) {
      await once(this.changes, 'change');
      look();
    }
  }

  /** Resolves when it prints a line with this text, from now on. */
  async says(text: string): Promise<void> {
    for (;;) {
      const [line] = (await once(this.changes, 'line')) as [string];
      if (line.includes(text)) return;
    }
  }

  /** Ends it with SIGKILL; it is started again. Resolves when it has ended. */
  async kill(): Promise<void> {
    const { current } = this;
    if (current?.pid === undefined) throw new Error(`${this.name} does not run, so it cannot be killed`);
    this.isUp = false;
    for (const pid of await this.victims(current.pid)) send(pid, 'SIGKILL');
    await current.exited;
  }

  /** Ends it with SIGKILL for good. */
  async killForGood(): Promise<void> {
    this.stay.abort();
    await this.kill();
    await this.keeping;
  }

  /** Asks it to end, waits until it has, and leaves it down. */
  async stop(): Promise<ProcessExit | undefined> {
    this.stay.abort();
    const exit = await this.current?.stop();
    await this.keeping;
    return exit;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stay;
    for (let failures = 0; !signal.aborted; failures++) {
      this.current = launch(this.program, (line) => {
        this.onLine(line);
        this.changes.emit('line', line);
      });
      const { readyPort: ready, exited, failureReason: failure } = this.current;
      await ready.then(
        () => {
          failures = 0;
          this.turn(true);
        },
        () => undefined,
      );
      const exit = await exited;
      this.ends.push({ exit, words: failure() || describeExit(exit) });
      this.current = undefined;
      this.turn(false);
      const millis = Math.min(FIRST_PAUSE_MILLIS * 2 ** failures, MAX_PAUSE_MILLIS);
      await pause(millis, undefined, { signal }).catch(() => undefined);
    }
  }

  private turn(isUp: boolean): void {
    this.isUp = isUp;
    this.changes.emit('change');
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended by itself meanwhile: a backend goes with its connection.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
