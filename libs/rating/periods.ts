import type { Instant } from '#libs/kernel/core';
import { MONTHS_PER_PERIOD, type RecurringCadence } from './cadence.js';
import { instantOfLocalTime, localTime } from './local-time.js';

/** A half-open period. The instant `start` belongs to the period, and `end` is the first instant of the next period. */
export interface Period {
  readonly start: Instant;
  readonly end: Instant;
}

/** The instant from which periods are counted, and the IANA time zone in which they are counted. */
export interface PeriodAnchor {
  readonly anchor: Instant;
  readonly timezone: string;
}

/**
 * The boundary with number `k`: the anchor's local date and time of day, plus `k` months, quarters or years (`cadence`). Every boundary is
 * counted from the anchor, never from the previous boundary. A day that is missing in one month is therefore used again in the next month:
 * 31 January, 28 February, 31 March. `k` can be negative. If a clock change skips the local time, the boundary moves forward by the length
 * of the gap. If the local time occurs twice, the boundary is the earlier of the two instants (Temporal's `compatible`). Throws RangeError
 * if the time zone is unknown.
 */
export function periodBoundary(
  { anchor, timezone }: PeriodAnchor,
  cadence: RecurringCadence,
  k: number,
): Instant {
  return instantOfLocalTime(localTime(anchor, timezone).add({ months: k * MONTHS_PER_PERIOD[cadence] }));
}

/** The period with number `k` lasts from boundary `k` to boundary `k + 1`. */
export function periodWithNumber(anchor: PeriodAnchor, cadence: RecurringCadence, k: number): Period {
  return { start: periodBoundary(anchor, cadence, k), end: periodBoundary(anchor, cadence, k + 1) };
}

/** The period that contains `instant`, with its number. Periods before the anchor have negative numbers. */
export function periodContaining(
  anchor: PeriodAnchor,
  cadence: RecurringCadence,
  instant: Instant,
): Period & { readonly index: number } {
  const months = Math.floor(monthsBetween(anchor, instant) / MONTHS_PER_PERIOD[cadence]);
  const start = periodBoundary(anchor, cadence, months);
  // The number of calendar months can be one too high, because it ignores the day and the time of day.
  return start > instant
    ? { index: months - 1, start: periodBoundary(anchor, cadence, months - 1), end: start }
    : { index: months, start, end: periodBoundary(anchor, cadence, months + 1) };
}

/** The number of the first boundary at or after `instant`. */
export function nextBoundaryIndex(anchor: PeriodAnchor, cadence: RecurringCadence, instant: Instant): number {
  const period = periodContaining(anchor, cadence, instant);
  return period.start === instant ? period.index : period.index + 1;
}

/** The length of a period in milliseconds. */
export function periodMillis({ start, end }: Period): number {
  return Date.parse(end) - Date.parse(start);
}

function monthsBetween({ anchor, timezone }: PeriodAnchor, instant: Instant): number {
  const from = localTime(anchor, timezone);
  const to = localTime(instant, timezone);
  return (to.year - from.year) * 12 + (to.month - from.month);
}
