import { Decimal, minorUnitDigits, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import { roundTogether } from './apportion.js';
import type { AppliedTax } from './taxes.js';

/** Amounts without a tax. */
export interface NetAmounts {
  /** The amounts in whole minor units, in the given order. */
  readonly amounts: readonly Decimal[];
  /**
   * The amount that compensates for the rounding: the gross amounts less the net amounts and the tax. It is a few minor units, or zero if
   * the amounts are exact.
   */
  readonly rounding: Decimal;
}

/**
 * Returns amounts without the tax that they contain. The tax must be the rate's share of the net sum, rounded to the minor unit, as
 * e-invoices require (EN 16931, BR-CO-17). For some totals there is no such net sum. For example, 0.03 with 20% in it has 0.02 and 0.00, or
 * 0.03 and 0.01. In that case the tax stays unchanged, the net sum differs by one minor unit, and `rounding` compensates for it. The same
 * applies to a tax that is off by one unit, as on a later credit note, in a currency without decimals. Validators of e-invoices do not
 * tolerate such a difference. Amounts that do not contain the tax stay unchanged.
 */
export function netAmounts(
  amounts: readonly DecimalString[],
  tax: AppliedTax | undefined,
  currency: string,
): NetAmounts {
  const given = amounts.map((amount) => new Decimal(amount));
  if (!tax?.inclusive || given.length === 0) return { amounts: given, rounding: new Decimal(0) };
  const unit = new Decimal(10).pow(-minorUnitDigits(currency));
  const net = sumOf(given).minus(tax.amount);
  const isShare = (moved: Decimal) =>
    roundToCurrency(net.plus(moved).times(tax.percentage).dividedBy(100), currency).eq(tax.amount);
  const moved =
    movesOf(tax, currency)
      .map((units) => unit.times(units))
      .find(isShare) ?? new Decimal(0);
  const without = (amount: Decimal) => amount.times(100).dividedBy(new Decimal(tax.percentage).plus(100));
  const rounded = roundTogether(given.map(without), currency, without(sumOf(given)));
  const largest = rounded.reduce((most, one, i) => (one.abs().gt(rounded[most]!.abs()) ? i : most), 0);
  const missing = net.plus(moved).minus(sumOf(rounded));
  return {
    amounts: rounded.map((amount, i) => (i === largest ? amount.plus(missing) : amount)),
    rounding: moved.negated(),
  };
}

/**
 * The numbers of units by which the net sum can be moved. In a currency without decimals, they go up to the number that moves the tax's
 * share by one unit.
 */
function movesOf({ percentage }: AppliedTax, currency: string): number[] {
  const isWhole = minorUnitDigits(currency) === 0 && new Decimal(percentage).gt(0);
  const most = isWhole ? new Decimal(100).dividedBy(percentage).ceil().toNumber() : 1;
  return [0, ...Array.from({ length: most }, (_, i) => [i + 1, -i - 1]).flat()];
}
