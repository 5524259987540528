import { setTimeout as delay } from 'node:timers/promises';
import { elapsedSeconds } from './clock.js';

/** How long to wait between two tries: the first time, and at most. Each wait is twice as long as the one before it. */
export interface BackoffOptions {
  firstMillis: number;
  maxMillis: number;
}

/** How long to wait after so many failures before this one, in milliseconds. */
export function backoffMillis(failures: number, { firstMillis, maxMillis }: BackoffOptions): number {
  return Math.min(firstMillis * 2 ** failures, maxMillis);
}

/** For how long something is tried again. It begins when it is made. */
export class Backoff {
  private readonly end: number;
  private waits = 0;

  constructor(millis: number) {
    this.end = elapsedSeconds() + millis / 1_000;
  }

  /** Whether whoever fails now should not try again. */
  get isOver(): boolean {
    return elapsedSeconds() >= this.end;
  }

  /** Waits before the next try. The length is random by a half, so that rivals do not meet again. */
  async wait(options: BackoffOptions): Promise<void> {
    const millis = backoffMillis(this.waits++, options);
    await delay(millis * (0.5 + Math.random() / 2));
  }
}
