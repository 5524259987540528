import { Decimal, roundToCurrency, sumOf } from '#libs/kernel/core';

/**
 * Spreads an amount of whole minor units over others in proportion to them, to the last unit. They may be below zero, as a line is
 * that gives something back: each share is rounded by what has been spread up to it. Nothing if they sum to zero.
 */
export function shareOut(amount: Decimal, over: readonly Decimal[], currency: string): Decimal[] {
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
