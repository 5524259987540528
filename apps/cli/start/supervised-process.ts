import { EventEmitter, once } from 'node:events';
import { backoffMillis, sleep } from '#libs/kernel/system';
import {
  describeExit,
  type ProcessExit,
  launch,
  type LaunchedProcess,
  type Program,
} from '../processes/launch.js';

/** The callbacks that receive the output and notices of a supervised process. */
export interface ProcessListener {
  /** This function is called with each line of the process's output. */
  onOutputLine(line: string): void;
  /** This function is called with a message for the operator, such as that the process was restarted. */
  onNotice(text: string): void;
}

const restarts = { firstMillis: 500, maxMillis: 30_000 };
// A process that has run for this long was healthy. Its next failure begins a new series.
const healthyMillis = 60_000;

/** Returns how many milliseconds to wait after the nth failure of a series, counted from 1: 500, 1000, 2000 … 30000. */
export const restartPauseMillis = (failures: number): number => backoffMillis(failures - 1, restarts);

/**
 * A process that is restarted when it ends unexpectedly. The pauses between restarts grow with each failure. The process begins its work
 * only when the processes that it needs are ready. An exit that follows the exit of a needed process does not count as a failure.
 */
export class SupervisedProcess {
  private current: LaunchedProcess | undefined;
  /** The time at which the process became ready, by the monotonic clock. Undefined while the process is not ready. */
  private readySince: number | undefined;
  private readonly changes = new EventEmitter();
  private replaced = false;
  private readonly ending = new AbortController();
  private wake = new AbortController();

  /** @param needs the processes that this process needs */
  constructor(
    readonly program: Program,
    private readonly listener: ProcessListener,
    private readonly needs: readonly SupervisedProcess[] = [],
  ) {
    // Every process that needs this one listens for its changes.
    this.changes.setMaxListeners(0);
  }

  /**
   * Starts the process. Resolves when it is ready. Rejects if the process ends before it is ready, and does not restart the process. While
   * the needed processes are still starting, the process only loads its code and waits.
   */
  async start(): Promise<void> {
    const first = this.begin({ held: this.missing.length > 0 });
    void this.waitForDependencies().then(() => {
      if (!this.isStopped) first.beginWork();
    });
    await first.readyPort;
    void this.keepRunning(first);
  }

  /** Ends the supervision. The process is no longer restarted, and no notices are sent. The process still runs until it is stopped. */
  endSupervision(): void {
    this.ending.abort();
    this.wake.abort();
  }

  /** Stops the process permanently. The process is killed if it has not stopped within its grace period. */
  async stop(): Promise<void> {
    this.endSupervision();
    await this.current?.stop();
  }

  /** Stops the process and starts it again at once, even if it was waiting after failures. */
  async restart(): Promise<void> {
    this.replaced = true;
    this.wake.abort();
    await this.current?.stop();
  }

  private get isStopped(): boolean {
    return this.ending.signal.aborted;
  }

  private begin({ held = false } = {}): LaunchedProcess {
    const launched = launch(this.program, (line) => this.listener.onOutputLine(line), { held });
    this.current = launched;
    launched.readyPort.then(
      () => this.setReadySince(performance.now()),
      () => undefined,
    );
    return launched;
  }

  private setReadySince(readySince: number | undefined): void {
    this.readySince = readySince;
    this.changes.emit('change');
  }

  /** Resolves when the process is ready or the signal is aborted. */
  private async untilReady(signal: AbortSignal): Promise<void> {
    while (this.readySince === undefined && !signal.aborted)
      await once(this.changes, 'change', { signal }).catch(() => undefined);
  }

  private async keepRunning(first: LaunchedProcess): Promise<void> {
    let failures = 0;
    let running = first;
    for (;;) {
      const began = performance.now();
      const exit = await running.exited;
      this.setReadySince(undefined);
      if (this.isStopped) return;
      if (this.replaced) failures = 0;
      else failures = await this.holdBack(exit, began, failures);
      await this.waitForDependencies();
      if (this.isStopped) return;
      this.replaced = false;
      this.wake = new AbortController();
      running = this.begin();
      running.readyPort.then(
        () => {
          if (!this.isStopped) this.listener.onNotice(`${this.program.name} runs again`);
        },
        () => undefined,
      );
    }
  }

  /** Waits before the next start. Returns how many times in a row the process has failed until now. */
  private async holdBack(exit: ProcessExit, began: number, failures: number): Promise<number> {
    const { name } = this.program;
    if (this.hasLostDependencySince(began)) {
      const when = this.missing.length > 0 ? ` when ${this.missingRun}` : '';
      this.listener.onNotice(`${name} ended (${describeExit(exit)}), starting it again${when}`);
      return failures;
    }
    const counted = performance.now() - began >= healthyMillis ? 1 : failures + 1;
    const millis = restartPauseMillis(counted);
    this.listener.onNotice(
      `${name} ended unexpectedly (${describeExit(exit)}), starting it again in ${millis / 1_000} s`,
    );
    await sleep(millis, this.wake.signal);
    // A process that loses a connection may end before the needed process at the other end, so the needed processes are checked here too.
    if (this.missing.length > 0 && !this.isStopped)
      this.listener.onNotice(`${name} waits until ${this.missingRun}`);
    return this.hasLostDependencySince(began) ? failures : counted;
  }

  private async waitForDependencies(): Promise<void> {
    while (this.missing.length > 0 && !this.isStopped)
      for (const need of this.missing) await need.untilReady(this.ending.signal);
  }

  private get missing(): SupervisedProcess[] {
    return this.needs.filter(({ readySince }) => readySince === undefined);
  }

  /** The end of the sentence "waits until …" about the missing processes, such as `postgres runs` or `postgres and eventstore run`. */
  private get missingRun(): string {
    const names = this.missing.map(({ program }) => program.name);
    return `${names.join(' and ')} ${names.length === 1 ? 'runs' : 'run'}`;
  }

  /** Tells whether a needed process was not ready at some time since `began`. */
  private hasLostDependencySince(began: number): boolean {
    return this.needs.some(({ readySince }) => readySince === undefined || readySince > began);
  }
}
