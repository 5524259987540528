import { Decimal, roundToCurrency, sumOf, type DecimalString } from '#libs/core';
import type { Period } from './periods.js';
import { prorate, type ProrationBasis } from './proration.js';

/** A least amount for a period. */
export interface Commitment {
  readonly minimum: DecimalString;
  readonly currency: string;
  /** What of the period was served; a part of it commits to its share of the minimum. */
  readonly service: Period;
  readonly period: Period;
  readonly basis?: ProrationBasis;
}

/** What is missing to the minimum, once `fees` are rounded and before coupons; never below zero. */
export function trueUp(
  { minimum, currency, service, period, basis }: Commitment,
  fees: Iterable<Decimal | DecimalString>,
): Decimal {
  const due = roundToCurrency(prorate(new Decimal(minimum), service, period, basis), currency);
  const billed = sumOf([...fees].map((fee) => roundToCurrency(new Decimal(fee), currency)));
  return Decimal.max(due.minus(billed), 0);
}
