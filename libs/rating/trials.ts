import type { Instant } from '#libs/kernel/core';
import { instantOfLocalTime, localTime } from './local-time.js';

/** Returns the end of a trial of `days` calendar days. A trial ends at the same time of day as it starts, in the customer's time zone. */
export function trialEnd(start: Instant, days: number, timezone: string): Instant {
  return instantOfLocalTime(localTime(start, timezone).add({ days }));
}
