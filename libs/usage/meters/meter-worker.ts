import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '#libs/kernel/app';
import { WakeUp, withoutStack, type Logger } from '#libs/kernel/system';
import { isTransient, NotificationListener } from '#libs/kernel/postgres';
import { listenForAppends } from '../append-notifications.js';
import { meterFolds } from '../metrics.js';
import { LogHead } from '../log-head.js';
import { MeterStore } from './meter-store.js';
import type { Meter } from './meter.js';

/** Under steady load folding more often than this costs more than it gains: who measures folds the rest. */
const MIN_INTERVAL_MILLIS = 250;
/** Looks at every meter at least this often, in case a notification was lost. */
const MAX_IDLE_MILLIS = 30_000;

/**
 * Keeps the meters near the head of the log. Several processes may run one: each meter is folded by one at a time,
 * and the others leave it alone.
 */
@Injectable()
export class MeterWorker extends BackgroundWorker {
  override readonly name = 'meters';
  /** Streams that have grown; undefined if it could be any. */
  private grown: Set<number> | undefined;
  private readonly wakeUp = new WakeUp();

  constructor(
    private readonly meters: MeterStore,
    private readonly head: LogHead,
    private readonly listener: NotificationListener,
  ) {
    super();
  }

  /** Runs until `signal` is aborted; then finishes the fold in hand. */
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
        await delay(MIN_INTERVAL_MILLIS, undefined, { signal }).catch(() => undefined);
        if (this.grown !== undefined && !(await this.wakeUp.sleep(MAX_IDLE_MILLIS))) this.grown = undefined;
      }
    } finally {
      unlisten();
    }
  }

  /** Folds the meters that are behind, except those that another process folds and those that cannot be folded. */
  private async round(streams: number[] | undefined, signal: AbortSignal, logger: Logger): Promise<void> {
    try {
      const behind = await this.meters.behind(streams);
      if (behind.length === 0) return;
      const head = await this.head.read();
      for (const meter of behind) await this.fold(meter, head, signal, logger);
    } catch (error) {
      logger.warn({ error: (error as Error).message }, 'looking for meters failed, trying again');
      this.grown = undefined;
    }
  }

  /** A meter that cannot be folded must not keep the others from it. */
  private async fold(meter: Meter, head: string, signal: AbortSignal, logger: Logger): Promise<void> {
    try {
      for (let more = true; more && !signal.aborted;) {
        more = await this.meters.foldNext(meter, head, 'leave');
        meterFolds.inc();
      }
    } catch (error) {
      const told = isTransient(error) ? withoutStack(error) : { err: error };
      logger.error({ ...told, meter: meter.id }, 'folding a meter failed');
    }
  }
}
