import type { Instant } from '#libs/kernel/core';
import { instantOfLocalTime, localTime } from './local-time.js';

/** The end of a trial of `days` calendar days. It has the same time of day as the start, in the customer's time zone. */
export function trialEnd(start: Instant, days: number, timezone: string): Instant {
  return instantOfLocalTime(localTime(start, timezone).add({ days }));
}
