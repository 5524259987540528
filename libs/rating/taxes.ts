import { Decimal, moneyString, roundToCurrency, sumOf, type DecimalString } from '#libs/core';

/** A tax in percent. `inclusive`: prices contain it already; else it is added to them. */
export interface TaxRate {
  readonly taxRateId: string;
  readonly name: string;
  readonly percentage: DecimalString;
  readonly inclusive: boolean;
}

/** What one rate comes to: `amount` on `taxable`, the amount without any tax. */
export interface AppliedTax extends TaxRate {
  readonly taxable: DecimalString;
  readonly amount: DecimalString;
}

/** Taxes on an amount, and what is to be added to it: the taxes that it does not contain already. */
export interface Taxed {
  readonly taxes: readonly AppliedTax[];
  readonly added: Decimal;
}

/**
 * The taxes on what is left of an invoice after its coupons. Every rate is on the same amount without taxes, never a tax on
 * a tax, and is rounded once, half away from zero; so an amount given back takes back its very taxes.
 */
export function taxesOn(amount: Decimal, rates: readonly TaxRate[], currency: string): Taxed {
  const contained = sumOf(rates.filter(({ inclusive }) => inclusive).map(({ percentage }) => percentage));
  const net = amount.times(100).dividedBy(contained.plus(100));
  const taxOf = ({ percentage }: TaxRate) => roundToCurrency(net.times(percentage).dividedBy(100), currency);
  const inclusive = rates.filter((rate) => rate.inclusive).map(taxOf);
  // What is printed adds up: the net amount is the gross one less the taxes as they are printed.
  const taxable = moneyString(amount.minus(sumOf(inclusive)), currency);
  const taxes = rates.map((rate) => ({ ...rate, taxable, amount: moneyString(taxOf(rate), currency) }));
  return { taxes, added: sumOf(taxes.filter((tax) => !tax.inclusive).map((tax) => tax.amount)) };
}

/** No tax at all. */
export const UNTAXED: Taxed = { taxes: [], added: new Decimal(0) };
