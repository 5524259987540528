import type { Instant } from '#libs/kernel/core';
import { instantOf, localTime } from './local-time.js';

/** When a trial of `days` calendar days ends: at the time of day that it began, in the customer's time zone. */
export function trialEnd(start: Instant, days: number, timezone: string): Instant {
  return instantOf(localTime(start, timezone).add({ days }));
}
