import { addSeconds, type Instant } from '#libs/kernel/core';

const DAY_SECONDS = 86_400;

/**
 * When a payment that failed at `failedAt` is tried again, if every attempt fails at once: each interval, in days of 24 hours, is counted
 * from the attempt before. After the last retry the invoice stays unchanged.
 */
export function retryTimes(failedAt: Instant, intervalDays: readonly number[]): Instant[] {
  const times: Instant[] = [];
  for (const days of intervalDays) times.push(addSeconds(times.at(-1) ?? failedAt, days * DAY_SECONDS));
  return times;
}
