import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMillis } from '#libs/kernel/system';
import { describeExit, type Exit, launch, type Launched, type Program } from '../processes/launch.js';

/** What is heard of a supervised process. */
export interface Listener {
  /** A line of its output. */
  output(line: string): void;
  /** Something that an operator should know, in words. */
  notice(text: string): void;
}

const restarts = { firstMillis: 500, maxMillis: 30_000 };
// One that has run for this long was healthy: its next end is not part of a series.
const healthyMillis = 60_000;

/** How long to wait before the nth start in a series of failures, counted from 1: 0.5 s, 1 s, 2 s … 30 s. */
export const restartPause = (failures: number): number => backoffMillis(failures - 1, restarts);

/**
 * A process that is kept running: when it ends unasked it is started again, more and more slowly. It starts only while what it
 * needs runs, and an end that comes with the end of that is no failure of its own.
 */
export class SupervisedProcess {
  private current: Launched | undefined;
  /** When it became ready, by the monotonic clock; undefined while it is not. */
  private readySince: number | undefined;
  private readonly changes = new EventEmitter();
  private replaced = false;
  private readonly ending = new AbortController();
  private wake = new AbortController();

  /** @param needs those that it cannot work without */
  constructor(
    readonly program: Program,
    private readonly listener: Listener,
    private readonly needs: readonly SupervisedProcess[] = [],
  ) {
    // As many wait for it as need it.
    this.changes.setMaxListeners(0);
  }

  /**
   * Resolves when it is ready; rejects when it ends before that, and then it is not started again. While what it needs is
   * still starting it is held back, and loads its code.
   */
  async start(): Promise<void> {
    const first = this.begin({ held: this.missing.length > 0 });
    void this.untilNeedsRun().then(() => {
      if (!this.isStopped) first.letBegin();
    });
    await first.ready;
    void this.keep(first);
  }

  /** From now on it is not started again, and nothing more is said of it. It goes on running until it is stopped. */
  giveUp(): void {
    this.ending.abort();
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

  private get isStopped(): boolean {
    return this.ending.signal.aborted;
  }

  private begin({ held = false } = {}): Launched {
    const launched = launch(this.program, (line) => this.listener.output(line), { held });
    this.current = launched;
    launched.ready.then(
      () => this.turn(performance.now()),
      () => undefined,
    );
    return launched;
  }

  private turn(readySince: number | undefined): void {
    this.readySince = readySince;
    this.changes.emit('change');
  }

  /** Resolves when it is ready, or the signal is aborted. */
  private async untilReady(signal: AbortSignal): Promise<void> {
    while (this.readySince === undefined && !signal.aborted)
      await once(this.changes, 'change', { signal }).catch(() => undefined);
  }

  private async keep(first: Launched): Promise<void> {
    let failures = 0;
    let running = first;
    for (;;) {
      const began = performance.now();
      const exit = await running.exited;
      this.turn(undefined);
      if (this.isStopped) return;
      if (this.replaced) failures = 0;
      else failures = await this.holdBack(exit, began, failures);
      await this.untilNeedsRun();
      if (this.isStopped) return;
      this.replaced = false;
      this.wake = new AbortController();
      running = this.begin();
      running.ready.then(
        () => {
          if (!this.isStopped) this.listener.notice(`${this.program.name} runs again`);
        },
        () => undefined,
      );
    }
  }

  /** Waits before the next start, and returns how many failures there are now in the series. */
  private async holdBack(exit: Exit, began: number, failures: number): Promise<number> {
    const { name } = this.program;
    if (this.hasLostANeedSince(began)) {
      const when = this.missing.length > 0 ? ` when ${this.missingRun}` : '';
      this.listener.notice(`${name} ended (${describeExit(exit)}), starting it again${when}`);
      return failures;
    }
    const counted = performance.now() - began >= healthyMillis ? 1 : failures + 1;
    const millis = restartPause(counted);
    this.listener.notice(
      `${name} ended unexpectedly (${describeExit(exit)}), starting it again in ${millis / 1_000} s`,
    );
    await pause(millis, undefined, { signal: this.wake.signal }).catch(() => undefined);
    // Whoever loses a connection may end sooner than the process at the other end of it.
    if (this.missing.length > 0 && !this.isStopped)
      this.listener.notice(`${name} waits until ${this.missingRun}`);
    return this.hasLostANeedSince(began) ? failures : counted;
  }

  private async untilNeedsRun(): Promise<void> {
    while (this.missing.length > 0 && !this.isStopped)
      for (const need of this.missing) await need.untilReady(this.ending.signal);
  }

  private get missing(): SupervisedProcess[] {
    return this.needs.filter(({ readySince }) => readySince === undefined);
  }

  /** In words: `postgres runs`, `postgres and eventstore run`. */
  private get missingRun(): string {
    const names = this.missing.map(({ program }) => program.name);
    return `${names.join(' and ')} ${names.length === 1 ? 'runs' : 'run'}`;
  }

  /** Whether something that it needs has been away at a time since `began`. */
  private hasLostANeedSince(began: number): boolean {
    return this.needs.some(({ readySince }) => readySince === undefined || readySince > began);
  }
}
