import { Decimal, minorUnitDigits, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import { roundTogether } from './apportion.js';
import type { AppliedTax } from './taxes.js';

/** Amounts without a tax. */
export interface NetAmounts {
  /** In whole minor units, in the order given. */
  readonly amounts: readonly Decimal[];
  /** The negated difference between net amounts plus tax and the gross amounts: a minor unit, or zero for amounts that are taxed alone. */
  readonly rounding: Decimal;
}

/**
 * Amounts without the tax that they contain, such that the tax is the rate's share of their sum, rounded to the minor unit. E-invoices must
 * show it so (EN 16931, BR-CO-17). For some totals there are no such two amounts (0.03 with 20% in it: 0.02 and 0.00, or 0.03 and 0.01).
 * Then the tax stays unchanged, the net sum differs by one minor unit, and `rounding` compensates for it. So it is for a tax that is a unit
 * off, as a later credit note's can be, if there is no smaller unit than a whole one: nobody tolerates that. Amounts that do not contain
 * the tax stay unchanged.
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

/** By how many units the sum without the tax may be moved: by so many that the tax's share moves by one, if units are whole. */
function movesOf({ percentage }: AppliedTax, currency: string): number[] {
  const isWhole = minorUnitDigits(currency) === 0 && new Decimal(percentage).gt(0);
  const most = isWhole ? new Decimal(100).dividedBy(percentage).ceil().toNumber() : 1;
  return [0, ...Array.from({ length: most }, (_, i) => [i + 1, -i - 1]).flat()];
}
