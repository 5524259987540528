import { addSeconds, type Instant } from '#libs/kernel/core';
import type { LedgerTransaction } from './transaction.js';

/**
 * The moment at which a report begins or ends. A moment is an instant, such as `2026-01-31T10:00:00.000Z`, or a date, such as `2026-01-31`.
 * A date is compared with the `date` of a transaction; time zones are ignored.
 */
export type ReportMoment = Instant;

/** Tells whether a moment is a date, and not an instant. */
export function isDateMoment(moment: ReportMoment): boolean {
  return moment.length === 'yyyy-mm-dd'.length;
}

/** Tells whether a transaction takes effect before a moment. */
export function takesEffectBefore(
  { at, date }: Pick<LedgerTransaction, 'at' | 'date'>,
  moment: ReportMoment,
): boolean {
  return isDateMoment(moment) ? date < moment : at < moment;
}

/** Tells whether a transaction takes effect at or before a moment. If the moment is a date, its whole day is included. */
export function takesEffectBy(
  { at, date }: Pick<LedgerTransaction, 'at' | 'date'>,
  moment: ReportMoment,
): boolean {
  return isDateMoment(moment) ? date <= moment : at <= moment;
}

/** The largest time zone offsets from UTC, in seconds: 14 hours ahead (Kiritimati), and 12 hours behind (Baker Island). */
const [MAX_AHEAD, MAX_BEHIND] = [14 * 3_600, 12 * 3_600];
const DAY = 86_400;

/** The earliest instant at which it is this date in any time zone. */
export function earliestInstantOfDate(date: string): Instant {
  return addSeconds(midnightOf(date), -MAX_AHEAD);
}

/** The latest instant at which it is this date in any time zone. */
export function latestInstantOfDate(date: string): Instant {
  return addSeconds(midnightOf(date), DAY + MAX_BEHIND - 0.001);
}

/** The date that is `days` days after `date`. */
export function addDays(date: string, days: number): string {
  return addSeconds(midnightOf(date), days * DAY).slice(0, 10);
}

function midnightOf(date: string): Instant {
  return `${date}T00:00:00.000Z`;
}
