import { Decimal, roundToCurrency, sumOf } from '#libs/kernel/core';

/**
 * Splits an amount of whole minor units in proportion to the amounts of `over`. The shares of the split sum exactly to `amount`. Amounts of
 * `over` can be negative, for example for an invoice line that gives money back. The cumulative share is rounded at each step. If `over`
 * sums to zero, all shares are zero.
 */
export function splitProportionally(amount: Decimal, over: readonly Decimal[], currency: string): Decimal[] {
  const whole = sumOf(over);
  if (whole.isZero()) return over.map(() => new Decimal(0));
  let passed = new Decimal(0);
  let spread = new Decimal(0);
  return over.map((one) => {
    passed = passed.plus(one);
    const upTo = roundToCurrency(amount.times(passed).dividedBy(whole), currency);
    const share = upTo.minus(spread);
    spread = upTo;
    return share;
  });
}
