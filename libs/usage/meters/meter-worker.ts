import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '#libs/kernel/app';
import { sleep, WakeUp, errorWithoutStack, type Logger } from '#libs/kernel/system';
import { isTransient, NotificationListener } from '#libs/kernel/postgres';
import { listenForAppends } from '../append-notifications.js';
import { meterFolds } from '../metrics.js';
import { LogHead } from '../log-head.js';
import { MeterStore } from './meter-store.js';
import type { Meter } from './meter.js';

/**
 * The minimum interval between two rounds. A round adds new events of the usage log to the meters. Under steady load, a shorter interval
 * costs more than it saves: a measurement also reads events that are not yet in a meter.
 */
const MIN_INTERVAL_MILLIS = 250;
/** The maximum interval after which all meters are checked, in case a notification was lost. */
const MAX_IDLE_MILLIS = 30_000;

/**
 * Keeps the meters up to date with the usage log. Several processes can run the worker. A worker skips a meter that another process is
 * folding.
 */
@Injectable()
export class MeterWorker extends BackgroundWorker {
  override readonly name = 'meters';
  /** The streams with new events. Undefined if any stream can have new events. */
  private grown: Set<number> | undefined;
  private readonly wakeUp = new WakeUp();

  constructor(
    private readonly meters: MeterStore,
    private readonly head: LogHead,
    private readonly listener: NotificationListener,
  ) {
    super();
  }

  /** Folds meters until `signal` is aborted, and then finishes the current fold. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const unlisten = await listenForAppends(this.listener, (streams) => {
      if (streams === undefined) this.grown = undefined;
      else for (const stream of streams) this.grown?.add(stream);
      this.wakeUp.wake();
    });
    signal.addEventListener('abort', () => this.wakeUp.wake(), { once: true });
    try {
      while (!signal.aborted) {
        this.wakeUp.clear();
        const streams = this.grown && [...this.grown];
        this.grown = new Set();
        await this.round(streams, signal, logger);
        await sleep(MIN_INTERVAL_MILLIS, signal);
        if (this.grown !== undefined && !(await this.wakeUp.sleep(MAX_IDLE_MILLIS))) this.grown = undefined;
      }
    } finally {
      unlisten();
    }
  }

  /** Folds the meters with unfolded events. A meter that another process folds is skipped. */
  private async round(streams: number[] | undefined, signal: AbortSignal, logger: Logger): Promise<void> {
    try {
      const behind = await this.meters.metersWithUnfoldedEvents(streams);
      if (behind.length === 0) return;
      const head = await this.head.read();
      for (const meter of behind) await this.fold(meter, head, signal, logger);
    } catch (error) {
      logger.warn({ error: (error as Error).message }, 'the search for meters to fold failed, trying again');
      this.grown = undefined;
    }
  }

  /** If a meter cannot be folded, the other meters are still folded. */
  private async fold(meter: Meter, head: string, signal: AbortSignal, logger: Logger): Promise<void> {
    try {
      for (let more = true; more && !signal.aborted;) {
        more = await this.meters.foldNext(meter, head, 'leave');
        meterFolds.inc();
      }
    } catch (error) {
      const told = isTransient(error) ? errorWithoutStack(error) : { err: error };
      logger.error({ ...told, meter: meter.id }, 'folding a meter failed');
    }
  }
}
