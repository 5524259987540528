import { earlierOf, laterOf, type Decimal, type Instant } from '#libs/kernel/core';
import { periodBoundary, periodMillis, periodContaining, type PeriodAnchor, type Period } from './periods.js';
import type { RecurringCadence } from './cadence.js';
import { localTime } from './local-time.js';

/**
 * The unit in which a part of a period is measured. With the basis `time`, parts of a period are measured as elapsed time, to the
 * millisecond. With the basis `days`, parts of a period are measured in days of a time zone. The first day of a service is counted, and the
 * day on which the service ends is not counted. A new price therefore applies from the day of the change, and a day with a clock change
 * counts as one day.
 */
export type ProrationBasis = { readonly unit: 'time' } | { readonly unit: 'days'; readonly timezone: string };

export const PRORATION_BY_TIME: ProrationBasis = { unit: 'time' };

/**
 * Returns the share of a full period's `amount` for the time range `service`. The share is the length of `service` divided by the actual
 * length of the period. The length of a period varies: a month has 28 to 31 days, and a year 365 or 366. A clock change adds or removes an
 * hour. The share is not rounded, because the invoice line is rounded. Throws RangeError if `period` is empty.
 */
export function prorate(
  amount: Decimal,
  service: Period,
  period: Period,
  basis: ProrationBasis = PRORATION_BY_TIME,
): Decimal {
  return prorateParts(amount, [service], period, basis);
}

/**
 * Returns the share of several parts of the period together. The computation uses a single division, so that all parts together are exactly
 * the whole.
 */
export function prorateParts(
  amount: Decimal,
  services: readonly Period[],
  period: Period,
  basis: ProrationBasis = PRORATION_BY_TIME,
): Decimal {
  const full = measure(period, basis);
  if (full <= 0) throw new RangeError(`The period from ${period.start} to ${period.end} has no length`);
  const served = services.reduce((sum, service) => sum + Math.max(measure(service, basis), 0), 0);
  return amount.times(served).dividedBy(full);
}

/** A time range within one period. */
export interface PeriodSegment {
  readonly service: Period;
  /** The whole period that contains `service`. */
  readonly period: Period;
}

/**
 * Divides a time range at the boundaries of periods, which exist before and after the anchor. Returns no segments for an empty time range.
 */
export function divideAtPeriodBoundaries(
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

/**
 * Returns the part of a period from the instant `at` on. If `at` is after the period's end, the part is empty. If `at` is before the
 * period's start, the part is the whole period.
 */
export function remainderOf({ start, end }: Period, at: Instant): Period {
  return { start: laterOf(start, earlierOf(at, end)), end };
}

function measure(period: Period, basis: ProrationBasis): number {
  if (basis.unit === 'time') return periodMillis(period);
  const day = (instant: Instant) => localTime(instant, basis.timezone).toPlainDate();
  return day(period.start).until(day(period.end)).days;
}
