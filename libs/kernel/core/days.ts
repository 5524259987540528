import { Temporal } from 'temporal-polyfill';
import type { Instant } from './instant.js';
import { instantFromMillis } from './instant.js';

/** One date format is kept for each time zone, because creating a format takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant in a time zone (IANA), such as `2026-01-31`. */
export function dayIn(timeZone: string, instant: Instant | number): string {
  if (timeZone === 'UTC' && typeof instant === 'string') return instant.slice(0, 10);
  let format = formats.get(timeZone);
  if (!format) {
    // Swedish dates are ISO dates.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    formats.set(timeZone, format);
  }
  return format.format(new Date(instant));
}

/**
 * The first instant of a month in a time zone (IANA). `month` is 0 for January, and 12 for January of the next year. If a clock change
 * skips midnight of the first day, the month begins at the first time of that day that exists.
 */
export function startOfMonth(year: number, month: number, timezone: string): Instant {
  if (timezone === 'UTC') return instantFromMillis(Date.UTC(year, month, 1));
  const first = { year: year + Math.floor(month / 12), month: (month % 12) + 1, day: 1 };
  return instantFromMillis(Temporal.PlainDate.from(first).toZonedDateTime(timezone).epochMilliseconds);
}

/**
 * The first instant of the day that is `later` days after `day`, such as `2026-01-31`, in a time zone (IANA). If a clock change skips
 * midnight, the day begins at its first time that exists.
 */
export function startOfDay(day: string, later: number, timezone: string): Instant {
  const start = Temporal.PlainDate.from(day).add({ days: later }).toZonedDateTime(timezone);
  return instantFromMillis(start.epochMilliseconds);
}
