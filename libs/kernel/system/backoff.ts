import { setTimeout as delay } from 'node:timers/promises';
import { monotonicSeconds } from './clock.js';

/** The pauses between attempts: the first pause and the maximum pause. Each wait is twice as long as the one before it. */
export interface BackoffOptions {
  firstMillis: number;
  maxMillis: number;
}

/** Returns the pause after this many earlier failures, in milliseconds. */
export function backoffMillis(failures: number, { firstMillis, maxMillis }: BackoffOptions): number {
  return Math.min(firstMillis * 2 ** failures, maxMillis);
}

/** Limits the time for which a failing operation is retried. The time starts when the object is created. */
export class Backoff {
  private readonly end: number;
  private waits = 0;

  constructor(millis: number) {
    this.end = monotonicSeconds() + millis / 1_000;
  }

  /** True if a failing caller should not try again. */
  get isOver(): boolean {
    return monotonicSeconds() >= this.end;
  }

  /** The time until {@link isOver} becomes true, in milliseconds. */
  get millisLeft(): number {
    return Math.max(0, (this.end - monotonicSeconds()) * 1_000);
  }

  /** Waits before the next attempt. Half of the pause is random, so that competing callers do not try again at the same moment. */
  async wait(options: BackoffOptions): Promise<void> {
    const millis = backoffMillis(this.waits++, options);
    await delay(millis * (0.5 + Math.random() / 2));
  }
}
