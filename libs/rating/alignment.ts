import { Temporal } from 'temporal-polyfill';
import type { Instant } from '#libs/kernel/core';
import { MONTHS, type RecurringCadence } from './cadence.js';
import { instantOf, localTime } from './local-time.js';
import { boundary, boundaryFrom, type Anchor } from './periods.js';

/**
 * The day on which a subscription's billing periods begin. `start`: where it began. `calendar`: at the first of the month, quarter or year.
 * A day of the month: on that day, or on the month's last where it is shorter. The last two are at local midnight.
 */
export type Alignment = 'start' | 'calendar' | { readonly dayOfMonth: number };

/** The longest time after which every month has a day again that it ever has. */
const LEAP_CYCLE_YEARS = 8;
const LEAP_CYCLE_MONTHS = LEAP_CYCLE_YEARS * 12;

const MIDNIGHT = new Temporal.PlainTime();

/**
 * The anchor that a subscription's boundaries are counted from, so that its first boundary after `start` lies as `alignment` says. For
 * cadences longer than a month that is the next such day, and whole periods are counted from there. The anchor may lie before or after the
 * start. If the first boundary's month lacks the day, or a clock change skips its midnight, the anchor is a boundary that has both. So only
 * a boundary whose own midnight is skipped lies at a later time of day.
 */
export function anchorFor(
  start: Instant,
  timezone: string,
  cadence: RecurringCadence,
  alignment: Alignment,
): Anchor {
  if (alignment === 'start') return { anchor: start, timezone };
  const months = MONTHS[cadence];
  const begin = localTime(start, timezone);
  const midnightOf = (of: Temporal.PlainYearMonth, day: number) => midnight(of, day, timezone);
  const month = begin.toPlainDate().toPlainYearMonth();
  if (alignment === 'calendar') {
    const first = month.subtract({ months: (month.month - 1) % months });
    return { anchor: instantOf(countableMidnight(first, 1, timezone)), timezone };
  }
  const { dayOfMonth } = alignment;
  const dayIn = (of: Temporal.PlainYearMonth) => Math.min(dayOfMonth, of.daysInMonth);
  const isAhead = (of: Temporal.PlainYearMonth) =>
    Temporal.ZonedDateTime.compare(midnightOf(of, dayIn(of)), begin) >= 0;
  const next = isAhead(month) ? month : month.add({ months: 1 });
  // Counted from a shorter month the day would be lost for good.
  let best = next;
  for (let k = months; k <= LEAP_CYCLE_MONTHS && dayIn(best) < dayOfMonth; k += months) {
    const candidate = next.add({ months: k });
    if (dayIn(candidate) > dayIn(best)) best = candidate;
  }
  return { anchor: instantOf(countableMidnight(best, dayIn(best), timezone)), timezone };
}

/** The end of a subscription's first period: the first boundary after its start. */
export function firstBoundary(start: Instant, anchor: Anchor, cadence: RecurringCadence): Instant {
  const at = boundaryFrom(anchor, cadence, start);
  const first = boundary(anchor, cadence, at);
  return first > start ? first : boundary(anchor, cadence, at + 1);
}

/**
 * The midnight of that day in `month`, or of the same day and month some years later if a clock change skips it: an anchor at
 * 01:00 would move every later boundary to 01:00. Whole years leave the boundaries of every cadence on their months.
 */
function countableMidnight(
  month: Temporal.PlainYearMonth,
  day: number,
  timezone: string,
): Temporal.ZonedDateTime {
  for (let years = 0; years <= LEAP_CYCLE_YEARS; years += 1) {
    const later = month.add({ years });
    const candidate = midnight(later, Math.min(day, later.daysInMonth), timezone);
    if (candidate.day === day && candidate.toPlainTime().equals(MIDNIGHT)) return candidate;
  }
  return midnight(month, day, timezone);
}

/** Where a clock change skips it, this is the same length of time later. */
function midnight(month: Temporal.PlainYearMonth, day: number, timezone: string): Temporal.ZonedDateTime {
  return month.toPlainDate({ day }).toZonedDateTime({ timeZone: timezone, plainTime: MIDNIGHT });
}
