import { earlierOf, laterOf, type Decimal, type Instant } from '#libs/kernel/core';
import { boundary, lengthOf, periodAt, type Anchor, type Period } from './periods.js';
import type { RecurringCadence } from './cadence.js';
import { localTime } from './local-time.js';

/**
 * The unit in which a share of a period is counted. `time`: elapsed time, to the millisecond. `days`: days of the local calendar. The day
 * on which a service starts counts, and the day on which it ends does not. So the new price holds on the day of a change, and a day with a
 * clock change is a day like any other.
 */
export type ProrationBasis = { readonly unit: 'time' } | { readonly unit: 'days'; readonly timezone: string };

export const BY_TIME: ProrationBasis = { unit: 'time' };

/**
 * The share of a full period's `amount` that falls on `service`: elapsed time over the length of the actual anchored period, never a
 * nominal one. A month has 28 to 31 days, a year 365 or 366, and a clock change adds or removes an hour. Not rounded: the line is. Throws
 * RangeError if `period` is empty.
 */
export function prorate(
  amount: Decimal,
  service: Period,
  period: Period,
  basis: ProrationBasis = BY_TIME,
): Decimal {
  return prorateParts(amount, [service], period, basis);
}

/** The share that falls on several parts of the period together: by one division, so that all of them are exactly the whole. */
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

/** A stretch of time within one anchored period. */
export interface Segment {
  readonly service: Period;
  /** The whole period that it lies in. */
  readonly period: Period;
}

/** Cuts a stretch of time at the anchor's boundaries, which go on in both directions. Returns no segments for an empty stretch. */
export function segmentsOf(anchor: Anchor, cadence: RecurringCadence, { start, end }: Period): Segment[] {
  if (end <= start) return [];
  const segments: Segment[] = [];
  let { index, ...period } = periodAt(anchor, cadence, start);
  for (;;) {
    const service = { start: laterOf(start, period.start), end: earlierOf(end, period.end) };
    segments.push({ service, period });
    if (period.end >= end) return segments;
    index += 1;
    period = { start: period.end, end: boundary(anchor, cadence, index + 1) };
  }
}

/** The part of a period that is left at `at`: none after its end, all of it before its start. */
export function remainderOf({ start, end }: Period, at: Instant): Period {
  return { start: laterOf(start, earlierOf(at, end)), end };
}

function measure(period: Period, basis: ProrationBasis): number {
  if (basis.unit === 'time') return lengthOf(period);
  const day = (instant: Instant) => localTime(instant, basis.timezone).toPlainDate();
  return day(period.start).until(day(period.end)).days;
}
