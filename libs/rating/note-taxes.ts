import { Decimal, minorUnitDigits, moneyString, roundToCurrency, sumOf } from '#libs/core';
import { apportion } from './apportion.js';
import type { CreditableInvoice, CreditableLine, LineNet } from './credit-notes.js';
import { ratesOfLine, taxBases, taxesOnBases, type AppliedTax, type TaxBase } from './taxes.js';

/** Whether lines of the invoice have different tax rates. */
export function hasSeveralRates({ lines }: Pick<CreditableInvoice, 'lines'>): boolean {
  return lines.some(({ taxRateIds }) => taxRateIds !== undefined);
}

/**
 * What giving parts of lines back takes back of the taxes of an invoice whose lines have different rates. Of each rate it is what falls on
 * all that was given back of the lines with it, up to and with these parts, less what was taken back before; a tax on none of
 * these lines is left out.
 */
export function taxesOfParts(invoice: CreditableInvoice, parts: readonly LineNet[]): AppliedTax[] {
  const { currency, lines, taxes } = invoice;
  const nowOf = ({ id }: CreditableLine) =>
    sumOf(parts.filter(({ lineId }) => lineId === id).map(({ amount }) => amount));
  const bases = (amountOf: (line: CreditableLine) => Decimal) =>
    taxesOnBases(taxBases(lines.map((line) => baseOf(line, amountOf(line), taxes))), currency);
  const before = bases(backOf);
  const upTo = bases((line) => backOf(line).plus(nowOf(line)));
  return taxes.flatMap((tax) => {
    const { taxRateId } = tax;
    const taken = invoice.back.taxes.filter((one) => one.taxRateId === taxRateId);
    const due = upTo.taxes.find((one) => one.taxRateId === taxRateId)?.amount ?? '0';
    const amount = Decimal.max(new Decimal(due).minus(sumOf(taken.map((one) => one.amount))), 0);
    // Both have the bases of the same lines, in the same order.
    const taxable = upTo.bases.map((base, i) =>
      base.rates.some((one) => one.taxRateId === taxRateId)
        ? netOf(base).minus(netOf(before.bases[i]!))
        : new Decimal(0),
    );
    const net = sumOf(taxable);
    if (amount.isZero() && net.isZero()) return [];
    return [{ ...tax, taxable: moneyString(net, currency), amount: moneyString(amount, currency) }];
  });
}

/**
 * The parts of lines, in proportion to what is left of them, and the taxes that come to `amount` together. Not every amount can be met,
 * since each rate is rounded by itself: the tax that is too much is left for a later note.
 */
export function partsWithin(
  invoice: CreditableInvoice,
  amount: Decimal,
): { parts: LineNet[]; taxes: AppliedTax[] } {
  const { currency, lines } = invoice;
  const lefts = lines.map(({ left }) => new Decimal(left));
  const whole = sumOf(lefts);
  const of = (net: Decimal) => {
    const parts = apportion(net, lefts, currency).map((part, i) => ({
      lineId: lines[i]!.id,
      amount: moneyString(part, currency),
    }));
    const taxes = taxesOfParts(invoice, parts);
    return { parts, taxes, total: net.plus(addedOf(taxes)) };
  };
  const all = of(whole).total;
  const unit = new Decimal(10).pow(-minorUnitDigits(currency));
  // Of the nets whose total is not below the amount, the least: the share of the amount is a few units from it.
  let net = all.isZero()
    ? all
    : Decimal.min(roundToCurrency(whole.times(amount).dividedBy(all), currency), whole);
  while (net.lt(whole) && of(net).total.lt(amount)) net = net.plus(unit);
  while (net.gt(0) && of(net.minus(unit)).total.gte(amount)) net = net.minus(unit);
  const { parts, taxes, total } = of(net);
  return { parts, taxes: lessAdded(taxes, total.minus(amount), currency) };
}

/** Taxes with so much less of those that are added, the largest first. */
function lessAdded(taxes: readonly AppliedTax[], excess: Decimal, currency: string): AppliedTax[] {
  let left = excess;
  const less = new Map<AppliedTax, Decimal>();
  const added = taxes.filter(({ inclusive }) => !inclusive);
  for (const tax of added.sort((a, b) => new Decimal(b.amount).comparedTo(a.amount))) {
    const taken = Decimal.min(left, tax.amount);
    less.set(tax, new Decimal(tax.amount).minus(taken));
    left = left.minus(taken);
  }
  return taxes.map((tax) => ({
    ...tax,
    amount: moneyString(less.get(tax) ?? new Decimal(tax.amount), currency),
  }));
}

/** What of a line was given back before. */
function backOf({ net, left }: CreditableLine): Decimal {
  return new Decimal(net).minus(left);
}

function baseOf(line: CreditableLine, amount: Decimal, taxes: readonly AppliedTax[]): TaxBase {
  return { amount, rates: ratesOfLine(taxes, line) };
}

function netOf({ amount, contained }: { readonly amount: Decimal; readonly contained: Decimal }): Decimal {
  return amount.minus(contained);
}

function addedOf(taxes: readonly AppliedTax[]): Decimal {
  return sumOf(taxes.filter(({ inclusive }) => !inclusive).map(({ amount }) => amount));
}
