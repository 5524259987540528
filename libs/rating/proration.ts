import { earlierOf, laterOf, type Decimal, type Instant } from '#libs/kernel/core';
import { periodBoundary, periodMillis, periodContaining, type PeriodAnchor, type Period } from './periods.js';
import type { RecurringCadence } from './cadence.js';
import { localTime } from './local-time.js';

/**
 * The unit of parts of a period. With `time`, it is elapsed time to the millisecond. With `days`, it is days in a time zone. The day on
 * which a service starts is included, and the day on which it ends is not. So the new price applies on the day of a change, and a day with
 * a clock change is one day like any other.
 */
export type ProrationBasis = { readonly unit: 'time' } | { readonly unit: 'days'; readonly timezone: string };

export const BY_TIME: ProrationBasis = { unit: 'time' };

/**
 * The share of a full period's `amount` for `service`. It is the elapsed time divided by the length of the actual anchored period, never of
 * a nominal one. A month has 28 to 31 days, a year 365 or 366, and a clock change adds or removes an hour. The result is not rounded,
 * because the line is rounded. Throws RangeError if `period` is empty.
 */
export function prorate(
  amount: Decimal,
  service: Period,
  period: Period,
  basis: ProrationBasis = BY_TIME,
): Decimal {
  return prorateParts(amount, [service], period, basis);
}

/** The share for several parts of the period together. It uses one division, so that all parts together are exactly the whole. */
export function prorateParts(
  amount: Decimal,
  services: readonly Period[],
  period: Period,
  basis: ProrationBasis = BY_TIME,
): Decimal {
  const full = measure(period, basis);
  if (full <= 0) throw new RangeError(`The period from ${period.start} to ${period.end} has no length`);
  const served = services.reduce((sum, service) => sum + Math.max(measure(service, basis), 0), 0);
  return amount.times(served).dividedBy(full);
}

/** A time range within one anchored period. */
export interface PeriodSegment {
  readonly service: Period;
  /** The whole period that contains `service`. */
  readonly period: Period;
}

/** Divides a time range at the anchor's boundaries, which continue in both directions. Returns no segments for an empty time range. */
export function segmentsOf(
  anchor: PeriodAnchor,
  cadence: RecurringCadence,
  { start, end }: Period,
): PeriodSegment[] {
  if (end <= start) return [];
  const segments: PeriodSegment[] = [];
  let { index, ...period } = periodContaining(anchor, cadence, start);
  for (;;) {
    const service = { start: laterOf(start, period.start), end: earlierOf(end, period.end) };
    segments.push({ service, period });
    if (period.end >= end) return segments;
    index += 1;
    period = { start: period.end, end: periodBoundary(anchor, cadence, index + 1) };
  }
}

/** The part of a period from `at` on. It is empty after the period's end, and the whole period before its start. */
export function remainderOf({ start, end }: Period, at: Instant): Period {
  return { start: laterOf(start, earlierOf(at, end)), end };
}

function measure(period: Period, basis: ProrationBasis): number {
  if (basis.unit === 'time') return periodMillis(period);
  const day = (instant: Instant) => localTime(instant, basis.timezone).toPlainDate();
  return day(period.start).until(day(period.end)).days;
}
