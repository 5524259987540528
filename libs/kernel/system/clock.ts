import type { Instant } from '#libs/kernel/core';

/**
 * The machine's clock. Only {@link systemClock} reads the time from the system; all other code asks a Clock or gets the time as an
 * argument.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMillis(): number;
  /** The current instant as ISO 8601 in UTC with milliseconds. */
  now(): Instant;
}

export const systemClock: Clock = {
  nowMillis: () => Date.now(),
  now: () => new Date().toISOString(),
};

/** Seconds of a monotonic clock, for measuring durations. */
export function monotonicSeconds(since: bigint = 0n): number {
  return Number(process.hrtime.bigint() - since) / 1e9;
}
