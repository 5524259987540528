import type { Instant } from '#libs/core';
import type { EPeriod } from './e-invoice.js';

/** The day of an instant in a time zone: `2026-01-31`. */
export function dayIn(timeZone: string, instant: Instant | number): string {
  // Swedish dates are ISO dates.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(instant));
}

/** First and last day of a half-open period; an instant is its day. */
export function daysIn(timeZone: string, start: Instant, end: Instant): EPeriod {
  const last = Math.max(Date.parse(start), Date.parse(end) - 1);
  return { start: dayIn(timeZone, start), end: dayIn(timeZone, last) };
}
