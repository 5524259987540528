import { addSeconds, type Instant } from '#libs/kernel/core';
import type { LedgerTransaction } from './transaction.js';

/**
 * Where books are cut: at an instant, `2026-01-31T10:00:00.000Z`, or at a date, `2026-01-31`. A date is compared with the dates of
 * bookings, whatever instant it begins at in the calendar that gave them.
 */
export type BookMoment = Instant;

/** Whether a moment is a date. */
export function isDate(moment: BookMoment): boolean {
  return moment.length === 'yyyy-mm-dd'.length;
}

/** Whether a transaction is before a moment. */
export function isBefore({ at, date }: Pick<LedgerTransaction, 'at' | 'date'>, moment: BookMoment): boolean {
  return isDate(moment) ? date < moment : at < moment;
}

/** Whether a transaction has taken effect by a moment, which counts: a date up to its end. */
export function isThrough({ at, date }: Pick<LedgerTransaction, 'at' | 'date'>, moment: BookMoment): boolean {
  return isDate(moment) ? date <= moment : at <= moment;
}

/** How far ahead of UTC a calendar is at most, and how far behind: Kiritimati, and Baker Island. */
const [MAX_AHEAD, MAX_BEHIND] = [14 * 3_600, 12 * 3_600];
const DAY = 86_400;

/** The first instant that is on a date in any calendar. */
export function earliestOn(date: string): Instant {
  return addSeconds(midnightOf(date), -MAX_AHEAD);
}

/** The last instant that is on a date in any calendar. */
export function latestOn(date: string): Instant {
  return addSeconds(midnightOf(date), DAY + MAX_BEHIND - 0.001);
}

/** The date so many days after one. */
export function addDays(date: string, days: number): string {
  return addSeconds(midnightOf(date), days * DAY).slice(0, 10);
}

function midnightOf(date: string): Instant {
  return `${date}T00:00:00.000Z`;
}
