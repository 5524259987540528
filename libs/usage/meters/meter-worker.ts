import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#libs/core';
import type { NotificationListener } from '#libs/postgres';
import type { Meter, MeterStore } from './meter-store.js';

/** Under steady load folding more often than this costs more than it gains: who measures folds the rest. */
const MIN_INTERVAL_MILLIS = 250;
/** Looks at least this often, in case a notification was lost. */
const MAX_IDLE_MILLIS = 30_000;
const METERS_AT_ONCE = 256;
const FAILED_FOR_MILLIS = 30_000;

/**
 * Keeps the meters near the head of the log. Several processes may run one: each meter is folded by one at a time,
 * and the others leave it alone.
 */
export class MeterWorker {
  private wake: (() => void) | undefined;
  private woken = true;
  private readonly failing = new Set<string>();

  constructor(
    private readonly meters: MeterStore,
    private readonly listener: NotificationListener,
    private readonly logger: Logger,
  ) {}

  /** Runs until `signal` is aborted; then finishes the fold in hand. */
  async run(signal: AbortSignal): Promise<void> {
    const nudge = (): void => {
      this.woken = true;
      this.wake?.();
    };
    const unlisten = await this.listener.on('usage_appended', nudge, nudge);
    signal.addEventListener('abort', nudge, { once: true });
    try {
      while (!signal.aborted) {
        this.woken = false;
        await this.round(signal);
        await delay(MIN_INTERVAL_MILLIS, undefined, { signal }).catch(() => undefined);
        await this.idle();
      }
    } finally {
      unlisten();
    }
  }

  /** Folds until nothing is behind but what others fold and what cannot be folded. */
  private async round(signal: AbortSignal): Promise<void> {
    const left = new Set(this.failing);
    try {
      while (!signal.aborted) {
        const behind = (await this.meters.behind(METERS_AT_ONCE)).filter(({ id }) => !left.has(id));
        if (behind.length === 0) return;
        for (const meter of behind) if (!(await this.fold(meter))) left.add(meter.id);
      }
    } catch (error) {
      this.logger.warn({ error: (error as Error).message }, 'looking for meters failed, trying again');
      this.woken = true;
    }
  }

  /** A meter that cannot be folded must not keep the others from it. Answers whether this one was folded. */
  private async fold(meter: Meter): Promise<boolean> {
    try {
      return (await this.meters.foldNext(meter, 'leave')) !== undefined;
    } catch (error) {
      this.logger.error({ err: error, meter: meter.id, eventName: meter.eventName }, 'folding a meter failed');
      this.failing.add(meter.id);
      setTimeout(() => this.failing.delete(meter.id), FAILED_FOR_MILLIS).unref();
      return false;
    }
  }

  private async idle(): Promise<void> {
    if (this.woken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MAX_IDLE_MILLIS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}
