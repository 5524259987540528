import { Decimal, minorUnitDigits, roundToCurrency, sumOf } from '#libs/kernel/core';

/**
 * Rounds amounts that belong together to whole minor units, so that the rounded amounts sum to the rounded sum. Each amount is rounded
 * down. The missing units go, one by one, to the amounts with the largest remainders. Of equal remainders, the earlier amount comes first.
 * A single amount is rounded normally. `sum` is the exact sum of the amounts. It is needed if the amounts are quotients, which have a
 * limited number of digits. The sum of such quotients can be slightly below half a cent, and would wrongly be rounded down.
 */
export function roundTogether(
  exact: readonly Decimal[],
  currency: string,
  sum: Decimal = sumOf(exact),
): Decimal[] {
  const total = roundToCurrency(sum, currency);
  const unit = new Decimal(10).pow(-minorUnitDigits(currency)).times(total.isNegative() ? -1 : 1);
  const cut = exact.map((amount) => amount.dividedBy(unit).floor());
  const missing = total.dividedBy(unit).minus(sumOf(cut)).toNumber();
  const lost = exact
    .map((amount, i) => ({ i, remainder: amount.dividedBy(unit).minus(cut[i]!) }))
    .sort((a, b) => b.remainder.comparedTo(a.remainder));
  const raised = new Set(lost.slice(0, missing).map(({ i }) => i));
  return cut.map((units, i) => units.plus(raised.has(i) ? 1 : 0).times(unit));
}

/**
 * Distributes an amount of whole minor units over `weights` in proportion. The shares sum exactly to the amount. All shares are zero if all
 * weights are zero.
 */
export function apportion(amount: Decimal, weights: readonly Decimal[], currency: string): Decimal[] {
  const whole = sumOf(weights);
  if (whole.isZero()) return weights.map(() => new Decimal(0));
  return roundTogether(
    weights.map((weight) => amount.times(weight).dividedBy(whole)),
    currency,
  );
}
