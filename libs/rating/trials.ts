import { Temporal } from 'temporal-polyfill';
import type { Instant } from '#libs/core';

/** When a trial of `days` calendar days ends: at the time of day that it began, in the customer's time zone. */
export function trialEnd(start: Instant, days: number, timezone: string): Instant {
  return Temporal.Instant.from(start)
    .toZonedDateTimeISO(timezone)
    .add({ days })
    .toInstant()
    .toString({ fractionalSecondDigits: 3 });
}
