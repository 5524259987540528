import { Decimal, moneyString, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import { roundTogether } from './apportion.js';

/** A tax in percent. `inclusive` is true if prices already contain the tax, and false if it is added to them. */
export interface TaxRate {
  readonly taxRateId: string;
  readonly name: string;
  readonly percentage: DecimalString;
  readonly inclusive: boolean;
}

/** The tax of one rate: `amount` on `taxable`, which is the amount without any tax. */
export interface AppliedTax extends TaxRate {
  readonly taxable: DecimalString;
  readonly amount: DecimalString;
}

/** An amount after coupons, including inclusive taxes, and the set of rates that apply to it. */
export interface TaxBase {
  readonly amount: Decimal;
  readonly rates: readonly TaxRate[];
}

/** A base with the inclusive taxes that it contains, in whole minor units. */
export interface TaxedBase extends TaxBase {
  readonly contained: Decimal;
}

/** The taxes on an amount, and the part that is added to it because the amount does not contain it. */
export interface AmountWithTaxes {
  readonly taxes: readonly AppliedTax[];
  readonly added: Decimal;
}

/**
 * Computes the taxes on an amount after coupons. Every rate applies to the same amount without taxes, never to another tax. Each tax is
 * rounded once, half away from zero. So a give-back of an amount also gives back exactly its taxes.
 */
export function computeTaxes(amount: Decimal, rates: readonly TaxRate[], currency: string): AmountWithTaxes {
  const { taxes, added } = taxesOnBases([{ amount, rates }], currency);
  return { taxes, added };
}

/**
 * The taxes on amounts that have different sets of rates. Each rate has one tax amount, on the sum of all its bases, rounded once, half
 * away from zero. Within a base, every rate applies to the amount without the inclusive taxes of that base. An inclusive tax on several
 * bases is divided among them without a rounding difference, so that printed amounts sum up. The order of the bases does not matter. If
 * there are several sets of rates, taxes are listed from the highest rate to the lowest.
 */
export function taxesOnBases(
  bases: readonly TaxBase[],
  currency: string,
): AmountWithTaxes & { readonly bases: readonly TaxedBase[] } {
  const amounts = distinct(bases.flatMap(({ rates }) => rates)).map((rate) =>
    amountsOf(rate, bases, currency),
  );
  const contained = bases.map((_, i) =>
    sumOf(amounts.filter(({ rate }) => rate.inclusive).map(({ shares }) => shares[i]!)),
  );
  const taxes = amounts.map(({ rate, amount }): AppliedTax => {
    const taxable = bases.map((base, i) =>
      isOn(rate, base) ? base.amount.minus(contained[i]!) : new Decimal(0),
    );
    return {
      ...rate,
      taxable: moneyString(sumOf(taxable), currency),
      amount: moneyString(amount, currency),
    };
  });
  return {
    taxes: bases.length > 1 ? taxes.sort(fromTheHighest) : taxes,
    added: sumOf(taxes.filter(({ inclusive }) => !inclusive).map(({ amount }) => amount)),
    bases: bases.map((base, i) => ({ ...base, contained: contained[i]! })),
  };
}

/** Sums amounts by their set of rates. The order of the result does not depend on the order of the amounts. */
export function taxBases(amounts: readonly TaxBase[]): TaxBase[] {
  const sets = Map.groupBy(amounts, ({ rates }) => keyOf(rates.map(({ taxRateId }) => taxRateId)));
  return [...sets.keys()].sort().map((key) => {
    const ofSet = sets.get(key)!;
    return {
      amount: sumOf(ofSet.map(({ amount }) => amount)),
      rates: ofSet[0]!.rates.toSorted(fromTheHighest),
    };
  });
}

/** Tells whether two lists name the same rates, in any order. */
export function isSameRateSet(a: readonly string[], b: readonly string[]): boolean {
  return keyOf(a) === keyOf(b);
}

/** The rates of an invoice line at which it was charged. They are the rates of `taxes` that the line names, or all if it names none. */
export function ratesOfLine(
  taxes: readonly AppliedTax[],
  { taxRateIds }: { readonly taxRateIds?: readonly string[] },
): TaxRate[] {
  return taxes
    .filter(({ taxRateId }) => taxRateIds === undefined || taxRateIds.includes(taxRateId))
    .map(({ taxRateId, name, percentage, inclusive }) => ({ taxRateId, name, percentage, inclusive }));
}

/**
 * The number of digits to which a tax is rounded first. Quotients have 60 digits, so without this step half a cent could become slightly
 * less by multiplication and summing.
 */
const DIGITS = 40;

/** The tax of a rate, and its share on each base; zero on a base without the rate. */
function amountsOf(rate: TaxRate, bases: readonly TaxBase[], currency: string) {
  const own = bases.filter((base) => isOn(rate, base));
  const taxOf = (net: Decimal) => net.times(rate.percentage).dividedBy(100).toDecimalPlaces(DIGITS);
  const exact = taxOf(netOf(own));
  const amount = roundToCurrency(exact, currency);
  const parts = roundTogether(
    own.map((base) => taxOf(netOf([base]))),
    currency,
    exact,
  );
  const shares = bases.map((base) => (isOn(rate, base) ? parts[own.indexOf(base)]! : new Decimal(0)));
  return { rate, amount, shares };
}

/** The sum of the bases without their inclusive taxes, unrounded. */
function netOf(bases: readonly TaxBase[]): Decimal {
  const byContained = Map.groupBy(bases, ({ rates }) => containedIn(rates).toFixed());
  return sumOf(
    [...byContained].map(([contained, same]) =>
      sumOf(same.map(({ amount }) => amount))
        .times(100)
        .dividedBy(new Decimal(contained).plus(100)),
    ),
  );
}

function containedIn(rates: readonly TaxRate[]): Decimal {
  return sumOf(rates.filter(({ inclusive }) => inclusive).map(({ percentage }) => percentage));
}

function isOn({ taxRateId }: TaxRate, { rates }: TaxBase): boolean {
  return rates.some((rate) => rate.taxRateId === taxRateId);
}

function distinct(rates: readonly TaxRate[]): TaxRate[] {
  return [...new Map(rates.map((rate) => [rate.taxRateId, rate])).values()];
}

function fromTheHighest(a: TaxRate, b: TaxRate): number {
  return new Decimal(b.percentage).comparedTo(a.percentage) || (a.taxRateId < b.taxRateId ? -1 : 1);
}

function keyOf(taxRateIds: readonly string[]): string {
  return JSON.stringify([...taxRateIds].sort());
}
