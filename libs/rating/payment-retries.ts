import { addSeconds, type Instant } from '#libs/kernel/core';

const DAY_SECONDS = 86_400;

/**
 * The instants at which a failed payment is retried, if every attempt fails immediately. Each interval is in days of 24 hours, counted from
 * the previous attempt. After the last retry the invoice does not change.
 */
export function retryTimes(failedAt: Instant, intervalDays: readonly number[]): Instant[] {
  const times: Instant[] = [];
  for (const days of intervalDays) times.push(addSeconds(times.at(-1) ?? failedAt, days * DAY_SECONDS));
  return times;
}
