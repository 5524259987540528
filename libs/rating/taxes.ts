import { Decimal, moneyString, roundToCurrency, sumOf, type DecimalString } from '#libs/kernel/core';
import { roundTogether } from './apportion.js';

/** A tax in percent. `inclusive` is true if prices already contain the tax, and false if the tax is added to prices. */
export interface TaxRate {
  readonly taxRateId: string;
  readonly name: string;
  readonly percentage: DecimalString;
  readonly inclusive: boolean;
}

/** The tax of one rate: `amount` is the tax on `taxable`, which is the amount without any tax. */
export interface AppliedTax extends TaxRate {
  readonly taxable: DecimalString;
  readonly amount: DecimalString;
}

/** An amount after coupons, including inclusive taxes, with the tax rates that apply to it. */
export interface TaxBase {
  readonly amount: Decimal;
  readonly rates: readonly TaxRate[];
}

/** A taxed amount, with the inclusive taxes that it contains, rounded to the currency's minor unit. */
export interface TaxedBase extends TaxBase {
  readonly contained: Decimal;
}

/** The taxes on an amount, and the sum of those taxes that are added to the amount. */
export interface TaxTotals {
  readonly taxes: readonly AppliedTax[];
  readonly added: Decimal;
}

/**
 * Computes the taxes on an amount after coupons. Every tax rate applies to the same amount without taxes, and never to another tax. Each
 * tax is rounded once, half away from zero. Giving back an amount therefore gives back exactly the taxes that were charged on it.
 */
export function computeTaxes(amount: Decimal, rates: readonly TaxRate[], currency: string): TaxTotals {
  const { taxes, added } = taxesOnBases([{ amount, rates }], currency);
  return { taxes, added };
}

/**
 * Computes the taxes on amounts that have different sets of tax rates. Each tax rate has one tax amount for all amounts to which it
 * applies, rounded once, half away from zero. Every tax rate applies to the amount without its inclusive taxes. If an inclusive tax applies
 * to several amounts, it is divided among them so that printed amounts sum up exactly. The order of the amounts does not change the result.
 * If there are several sets of tax rates, taxes are sorted from the highest rate to the lowest.
 */
export function taxesOnBases(
  bases: readonly TaxBase[],
  currency: string,
): TaxTotals & { readonly bases: readonly TaxedBase[] } {
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

/** Sums the amounts that have the same set of tax rates. The order of the result does not depend on the order of the amounts. */
export function mergeTaxBases(amounts: readonly TaxBase[]): TaxBase[] {
  const sets = Map.groupBy(amounts, ({ rates }) => keyOf(rates.map(({ taxRateId }) => taxRateId)));
  return [...sets.keys()].sort().map((key) => {
    const ofSet = sets.get(key)!;
    return {
      amount: sumOf(ofSet.map(({ amount }) => amount)),
      rates: ofSet[0]!.rates.toSorted(fromTheHighest),
    };
  });
}

/** Tells whether two lists contain the same tax rates, in any order. */
export function isSameRateSet(a: readonly string[], b: readonly string[]): boolean {
  return keyOf(a) === keyOf(b);
}

/**
 * Returns the tax rates at which an invoice line was charged. The result contains the rates of `taxes` that the line names, or all rates if
 * the line names none.
 */
export function ratesOfLine(
  taxes: readonly AppliedTax[],
  { taxRateIds }: { readonly taxRateIds?: readonly string[] },
): TaxRate[] {
  return taxes
    .filter(({ taxRateId }) => taxRateIds === undefined || taxRateIds.includes(taxRateId))
    .map(({ taxRateId, name, percentage, inclusive }) => ({ taxRateId, name, percentage, inclusive }));
}

/**
 * The number of digits to which a tax is rounded first, before it is rounded to the minor unit. Quotients have 60 digits. Without the first
 * rounding, half a cent could become slightly less by multiplication and summing.
 */
const DIGITS = 40;

/**
 * Computes the tax of one tax rate on several amounts. `amount` is the tax on all amounts together to which the rate applies. `shares` has
 * the part of `amount` for each of the amounts, in their order. The part is zero if the rate does not apply to the amount.
 */
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

/** The sum of the amounts without their inclusive taxes, unrounded. */
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
