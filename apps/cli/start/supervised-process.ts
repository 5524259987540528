import { setTimeout as pause } from 'node:timers/promises';
import { describeExit, type Exit, launch, type Launched, type Program } from '../processes/launch.js';

/** What is heard of a supervised process. */
export interface Listener {
  /** A line of its output. */
  output(line: string): void;
  /** Something that an operator should know, in words. */
  notice(text: string): void;
}

const firstPauseMillis = 500;
const longestPauseMillis = 30_000;
// One that has run for this long was healthy: its next end is not part of a series.
const healthyMillis = 60_000;

/** How long to wait before the nth start in a series of failures, counted from 1: 0.5 s, 1 s, 2 s … 30 s. */
export const restartPause = (failures: number): number =>
  Math.min(firstPauseMillis * 2 ** (failures - 1), longestPauseMillis);

/** A process that is kept running: when it ends unasked it is started again, more and more slowly. */
export class SupervisedProcess {
  private current: Launched | undefined;
  private stopped = false;
  private replaced = false;
  private wake = new AbortController();

  constructor(
    readonly program: Program,
    private readonly listener: Listener,
  ) {}

  /** Resolves when it is ready; rejects when it ends before that, and then it is not started again. */
  async start(): Promise<void> {
    const first = this.begin();
    await first.ready;
    void this.keep(first);
  }

  /** From now on it is not started again, and nothing more is said of it. It goes on running until it is stopped. */
  giveUp(): void {
    this.stopped = true;
    this.wake.abort();
  }

  /** Ends it for good, by force when its grace is over. */
  async stop(): Promise<void> {
    this.giveUp();
    await this.current?.stop();
  }

  /** Ends it and starts it anew, at once even if it was being held back after failures. */
  async restart(): Promise<void> {
    this.replaced = true;
    this.wake.abort();
    await this.current?.stop();
  }

  private begin(): Launched {
    this.current = launch(this.program, (line) => this.listener.output(line));
    return this.current;
  }

  private async keep(first: Launched): Promise<void> {
    let failures = 0;
    let running = first;
    for (;;) {
      const began = performance.now();
      const exit = await running.exited;
      if (this.stopped) return;
      if (this.replaced) failures = 0;
      else failures = performance.now() - began >= healthyMillis ? 1 : failures + 1;
      if (!this.replaced) await this.holdBack(exit, restartPause(failures));
      if (this.stopped) return;
      this.replaced = false;
      this.wake = new AbortController();
      running = this.begin();
      running.ready.then(
        () => {
          if (!this.stopped) this.listener.notice(`${this.program.name} runs again`);
        },
        () => undefined,
      );
    }
  }

  private async holdBack(exit: Exit, millis: number): Promise<void> {
    this.listener.notice(
      `${this.program.name} ended unexpectedly (${describeExit(exit)}), starting it again in ${millis / 1_000} s`,
    );
    await pause(millis, undefined, { signal: this.wake.signal }).catch(() => undefined);
  }
}
