import type { Decimal } from '#libs/core';
import { lengthOf, type Period } from './periods.js';

/**
 * The share of a full period's `amount` that falls on `service`: elapsed time over the length of the actual anchored
 * period (28 to 31 days, 365 or 366, an hour more or less at a clock change), never a nominal one. Not rounded:
 * the line is. Throws RangeError if `period` is empty.
 */
export function prorate(amount: Decimal, service: Period, period: Period): Decimal {
  const full = lengthOf(period);
  if (full <= 0) throw new RangeError(`The period from ${period.start} to ${period.end} has no length`);
  return amount.times(Math.max(lengthOf(service), 0)).dividedBy(full);
}
