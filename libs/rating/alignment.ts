import { Temporal } from 'temporal-polyfill';
import type { Instant } from '#libs/kernel/core';
import { MONTHS_PER_PERIOD, type RecurringCadence } from './cadence.js';
import { instantOfLocalTime, localTime } from './local-time.js';
import { periodBoundary, nextBoundaryIndex, type PeriodAnchor } from './periods.js';

/**
 * The day on which a subscription's billing periods begin. With `start`, periods begin at the instant at which the subscription began. With
 * `calendar`, periods begin on the first day of the month, quarter or year. With `dayOfMonth`, periods begin on that day of the month, or
 * on the last day of a shorter month. Periods with `calendar` or `dayOfMonth` begin at local midnight.
 */
export type Alignment = 'start' | 'calendar' | { readonly dayOfMonth: number };

/**
 * The number of years within which every date, such as 29 February, occurs at least once. For example, 29 February can be missing for up to
 * 8 years.
 */
const LEAP_CYCLE_YEARS = 8;
const LEAP_CYCLE_MONTHS = LEAP_CYCLE_YEARS * 12;

const MIDNIGHT = new Temporal.PlainTime();

/**
 * The anchor from which the boundaries of a subscription's periods are counted, such that the first boundary matches `alignment`. With
 * `dayOfMonth`, the first boundary is the next such day, also for quarterly and annual cadences. The anchor can be before or after the
 * subscription's start. If the month of the first boundary is too short for the day, or a clock change skips midnight, the anchor is a
 * later boundary. A boundary is therefore later than midnight only if a clock change skips midnight on the boundary's own day.
 */
export function anchorFor(
  start: Instant,
  timezone: string,
  cadence: RecurringCadence,
  alignment: Alignment,
): PeriodAnchor {
  if (alignment === 'start') return { anchor: start, timezone };
  const months = MONTHS_PER_PERIOD[cadence];
  const begin = localTime(start, timezone);
  const midnightOf = (of: Temporal.PlainYearMonth, day: number) => midnight(of, day, timezone);
  const month = begin.toPlainDate().toPlainYearMonth();
  if (alignment === 'calendar') {
    const first = month.subtract({ months: (month.month - 1) % months });
    return { anchor: instantOfLocalTime(countableMidnight(first, 1, timezone)), timezone };
  }
  const { dayOfMonth } = alignment;
  const dayIn = (of: Temporal.PlainYearMonth) => Math.min(dayOfMonth, of.daysInMonth);
  const isAhead = (of: Temporal.PlainYearMonth) =>
    Temporal.ZonedDateTime.compare(midnightOf(of, dayIn(of)), begin) >= 0;
  const next = isAhead(month) ? month : month.add({ months: 1 });
  // If the anchor were in a shorter month, no later boundary could be on the wanted day.
  let best = next;
  for (let k = months; k <= LEAP_CYCLE_MONTHS && dayIn(best) < dayOfMonth; k += months) {
    const candidate = next.add({ months: k });
    if (dayIn(candidate) > dayIn(best)) best = candidate;
  }
  return { anchor: instantOfLocalTime(countableMidnight(best, dayIn(best), timezone)), timezone };
}

/** The end of a subscription's first period: the first boundary after its start. */
export function firstPeriodEnd(start: Instant, anchor: PeriodAnchor, cadence: RecurringCadence): Instant {
  const at = nextBoundaryIndex(anchor, cadence, start);
  const first = periodBoundary(anchor, cadence, at);
  return first > start ? first : periodBoundary(anchor, cadence, at + 1);
}

/**
 * Returns midnight of `day` in `month`. If a clock change skips midnight on that day, returns the midnight of the same day and month some
 * years later. An anchor at 01:00 is not used, because all later boundaries would then be at 01:00. Moving an anchor by whole years keeps
 * the boundaries of every cadence in their months.
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

/** If a clock change skips midnight, the returned time is later by the length of the gap. */
function midnight(month: Temporal.PlainYearMonth, day: number, timezone: string): Temporal.ZonedDateTime {
  return month.toPlainDate({ day }).toZonedDateTime({ timeZone: timezone, plainTime: MIDNIGHT });
}
