import { addSeconds, dayIn, startOfMonth, type Instant } from '#libs/kernel/core';

/** A calendar month, such as `2026-01`. */
export type BookMonth = string;

/** The calendar month that contains an instant, in a time zone (IANA). */
export function monthContaining(at: Instant, timezone: string): BookMonth {
  return dayIn(timezone, at).slice(0, 'yyyy-mm'.length);
}

/** The month after a month. */
export function monthAfter(month: BookMonth): BookMonth {
  return shifted(month, 1);
}

/** The month before a month. */
export function monthBefore(month: BookMonth): BookMonth {
  return shifted(month, -1);
}

/** The last millisecond of a month in a time zone. */
export function lastInstantOfMonth(month: BookMonth, timezone: string): Instant {
  const [year, number] = partsOf(month);
  // `number` counts from 1 and `startOfMonth` from 0, so this is the start of the next month.
  return addSeconds(startOfMonth(year, number, timezone), -0.001);
}

function shifted(month: BookMonth, by: number): BookMonth {
  const [year, number] = partsOf(month);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 'yyyy-mm'.length);
}

function partsOf(month: BookMonth): [number, number] {
  return [Number(month.slice(0, 4)), Number(month.slice(5, 7))];
}
