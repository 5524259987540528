import { Decimal, minorUnitDigits, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import { roundTogether } from './apportion.js';
import type { AppliedTax } from './taxes.js';

/** The amounts of lines without the tax that was included in them. */
export interface NetAmounts {
  /** The amounts, rounded to the currency's minor unit, in the given order. */
  readonly amounts: readonly Decimal[];
  /**
   * The amount that compensates for rounding: the gross amounts less the net amounts and the tax. The rounding amount is a few minor units,
   * or zero if the amounts are exact.
   */
  readonly rounding: Decimal;
}

/**
 * Returns the amounts without the tax that they contain. E-invoices require that the tax is the rate's share of the net sum, rounded to the
 * minor unit (EN 16931, BR-CO-17). For some totals, no division into a net sum and a tax meets this requirement. For example, for 0.03
 * including 20% tax, a net sum of 0.02 has a tax of 0.00, and a net sum of 0.03 has a tax of 0.01. Neither pair sums to 0.03. For such a
 * total, the tax stays unchanged, the net sum is changed by one minor unit, and `rounding` compensates for it. In a currency without
 * decimals, the net sum may have to change by several units until the rounded tax changes by one unit. Validators of e-invoices do not
 * accept a tax that differs from the rate's share. Amounts that do not include tax stay unchanged.
 */
export function computeNetAmounts(
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
 * The numbers of minor units by which the net sum can be moved, in the order in which they are tried. In a currency without decimals, the
 * numbers go up to the one that moves the tax by one unit.
 */
function movesOf({ percentage }: AppliedTax, currency: string): number[] {
  const isWhole = minorUnitDigits(currency) === 0 && new Decimal(percentage).gt(0);
  const most = isWhole ? new Decimal(100).dividedBy(percentage).ceil().toNumber() : 1;
  return [0, ...Array.from({ length: most }, (_, i) => [i + 1, -i - 1]).flat()];
}
