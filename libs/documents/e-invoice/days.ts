import type { Instant } from '#libs/core';
import type { EPeriod } from './e-invoice.js';

/** By time zone: making one takes as long as a line of an e-invoice, which has two days. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant in a time zone: `2026-01-31`. */
export function dayIn(timeZone: string, instant: Instant | number): string {
  let format = formats.get(timeZone);
  if (!format) {
    // Swedish dates are ISO dates.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
    formats.set(timeZone, format);
  }
  return format.format(new Date(instant));
}

/** First and last day of a half-open period; an instant is its day. */
export function daysIn(timeZone: string, start: Instant, end: Instant): EPeriod {
  const last = Math.max(Date.parse(start), Date.parse(end) - 1);
  return { start: dayIn(timeZone, start), end: dayIn(timeZone, last) };
}
