import { dayIn, type Instant } from '#libs/kernel/core';
import type { EPeriod } from './e-invoice.js';

/** The first and last day of a half-open period. A period that starts and ends at the same instant has one day. */
export function firstAndLastDay(timeZone: string, start: Instant, end: Instant): EPeriod {
  const last = Math.max(Date.parse(start), Date.parse(end) - 1);
  return { start: dayIn(timeZone, start), end: dayIn(timeZone, last) };
}
