import { Decimal, jsonNumber, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import type { RecurringCadence } from './cadence.js';
import type { Period } from './periods.js';
import { prorate, type ProrationBasis } from './proration.js';

/** The minimum amount of a plan, for each billing period or for each interval. */
export type MinimumCommitment = DecimalString | IntervalCommitment;

/**
 * A minimum amount for an interval that can be longer than a billing period. The intervals of a minimum are counted from the subscription's
 * anchor.
 */
export interface IntervalCommitment {
  readonly amount: DecimalString;
  readonly interval: RecurringCadence;
}

/** Reads the amount and the interval of a minimum commitment. A minimum without an interval applies to each billing period. */
export function minimumAndIntervalOf(commitment: MinimumCommitment): {
  readonly minimum: DecimalString;
  readonly interval?: RecurringCadence;
} {
  if (typeof commitment === 'string') return { minimum: commitment };
  return { minimum: commitment.amount, interval: commitment.interval };
}

/** Converts a minimum commitment to its form in the API: a number, or an object with the interval. */
export function presentMinimumCommitment(commitment: MinimumCommitment | null) {
  if (commitment === null || typeof commitment === 'string')
    return commitment === null ? null : jsonNumber(commitment);
  return { amount: jsonNumber(commitment.amount), interval: commitment.interval };
}

/** The minimum amount that a subscription commits to pay for a period. */
export interface PeriodMinimum {
  readonly minimum: DecimalString;
  readonly currency: string;
  /** The part of the period in which the subscription was active. The minimum is prorated to this part of the period. */
  readonly service: Period;
  /** The full period to which `minimum` applies. */
  readonly period: Period;
  readonly basis?: ProrationBasis;
}

/** Returns the amount by which the rounded `fees`, before coupons, are below the minimum. The difference is never negative. */
export function amountMissingToMinimum(
  { minimum, currency, service, period, basis }: PeriodMinimum,
  fees: Iterable<Decimal | DecimalString>,
): Decimal {
  const due = roundToCurrency(prorate(new Decimal(minimum), service, period, basis), currency);
  const billed = sumOf([...fees].map((fee) => roundToCurrency(new Decimal(fee), currency)));
  return Decimal.max(due.minus(billed), 0);
}
