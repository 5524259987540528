import { Decimal, minorUnitDigits, moneyString, roundToCurrency, sumOf } from '#libs/kernel/core';
import { apportion } from './apportion.js';
import type { CreditableInvoice, InvoicedLine, LineNetAmount } from './credit-notes.js';
import { ratesOfLine, mergeTaxBases, taxesOnBases, type AppliedTax, type TaxBase } from './taxes.js';

/** Tells whether the lines of an invoice have different tax rates. */
export function linesHaveDifferentTaxRates({ lines }: Pick<CreditableInvoice, 'lines'>): boolean {
  return lines.some(({ taxRateIds }) => taxRateIds !== undefined);
}

/**
 * Returns the taxes that are given back with `parts` of lines, if the invoice's lines have different tax rates. Each tax is computed on
 * everything given back of its lines so far, including `parts`, less the tax given back before. A tax that applies to no line in `parts` is
 * omitted.
 */
export function taxesGivenBackAtSeveralRates(
  invoice: CreditableInvoice,
  parts: readonly LineNetAmount[],
): AppliedTax[] {
  const { currency, lines, taxes } = invoice;
  const nowOf = ({ id }: InvoicedLine) =>
    sumOf(parts.filter(({ lineId }) => lineId === id).map(({ amount }) => amount));
  const bases = (amountOf: (line: InvoicedLine) => Decimal) =>
    taxesOnBases(mergeTaxBases(lines.map((line) => baseOf(line, amountOf(line), taxes))), currency);
  const before = bases(backOf);
  const upTo = bases((line) => backOf(line).plus(nowOf(line)));
  return taxes.flatMap((tax) => {
    const { taxRateId } = tax;
    const taken = invoice.givenBack.taxes.filter((one) => one.taxRateId === taxRateId);
    const due = upTo.taxes.find((one) => one.taxRateId === taxRateId)?.amount ?? '0';
    const amount = Decimal.max(new Decimal(due).minus(sumOf(taken.map((one) => one.amount))), 0);
    // `before` and `upTo` have the bases of the same lines, in the same order.
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

/** Parts of invoice lines, with the taxes on these parts. */
interface Taxed {
  readonly parts: LineNetAmount[];
  readonly taxes: AppliedTax[];
}

/**
 * Divides `amount` over the lines, in proportion to their remaining amounts. Returns the parts and the taxes on them. Each tax is rounded
 * separately, so some amounts are no exact sum of parts and taxes. A tax can therefore be one minor unit too high or too low, and a later
 * credit note corrects it. Each tax is as close as possible to its exact share.
 */
export function divideOverTaxedLines(invoice: CreditableInvoice, amount: Decimal): Taxed {
  const { currency, lines } = invoice;
  const lefts = lines.map(({ left }) => new Decimal(left));
  const whole = sumOf(lefts);
  const of = (net: Decimal) => {
    const parts = apportion(net, lefts, currency).map((part, i) => ({
      lineId: lines[i]!.id,
      amount: moneyString(part, currency),
    }));
    const taxes = taxesGivenBackAtSeveralRates(invoice, parts);
    return { parts, taxes, total: net.plus(addedOf(taxes)) };
  };
  const { total: all, taxes: rest } = of(whole);
  const unit = new Decimal(10).pow(-minorUnitDigits(currency));
  // `net` becomes the smallest net whose total is not below the amount. The exact share is at most a few units away.
  let net = all.isZero()
    ? all
    : Decimal.min(roundToCurrency(whole.times(amount).dividedBy(all), currency), whole);
  while (net.lt(whole) && of(net).total.lt(amount)) net = net.plus(unit);
  while (net.gt(0) && of(net.minus(unit)).total.gte(amount)) net = net.minus(unit);
  const least = of(net);
  if (least.total.eq(amount) && distanceOf(least.taxes, rest).lt(unit)) return least;
  const near = [net, net.minus(unit), net.plus(unit)].filter((one) => one.gte(0) && one.lte(whole));
  const fitting = near.flatMap((one) => adjustTaxes(invoice, of(one), rest, amount, unit) ?? []);
  // `fitting` is empty if less than `amount` can still be given back.
  return fitting.length === 0
    ? least
    : fitting.reduce((best, one) =>
        distanceOf(one.taxes, rest).lt(distanceOf(best.taxes, rest)) ? one : best,
      );
}

/**
 * Adjusts added taxes by single minor units until the parts and taxes sum to the amount. Each unit changes one tax. This tax is chosen so
 * that all taxes are as near as possible to their exact shares. Returns undefined if no tax can change without becoming negative or
 * exceeding the charged tax. A line that gives an amount back does not reduce the charged tax, because it belongs to a charge of another
 * invoice.
 */
function adjustTaxes(
  { lines, taxes: charged, givenBack: back, currency }: CreditableInvoice,
  { parts, taxes, total }: Taxed & { readonly total: Decimal },
  rest: readonly AppliedTax[],
  amount: Decimal,
  unit: Decimal,
): Taxed | undefined {
  const step = total.gt(amount) ? unit.negated() : unit;
  const chargedOf = ({ taxRateId }: AppliedTax, of: readonly { taxRateId: string; amount: string }[]) =>
    sumOf(of.filter((one) => one.taxRateId === taxRateId).map((one) => one.amount));
  const charging = lines.map((line) => baseOf(line, new Decimal(line.net), charged));
  const { taxes: ofCharges } = taxesOnBases(mergeTaxBases(charging), currency);
  const mostOf = (tax: AppliedTax) =>
    Decimal.max(chargedOf(tax, charged), chargedOf(tax, ofCharges)).minus(chargedOf(tax, back.taxes));
  let fitting = taxes;
  for (let sum = total; !sum.eq(amount); sum = sum.plus(step)) {
    const moved = fitting.flatMap((tax, i) => {
      const next = step.plus(tax.amount);
      if (tax.inclusive || next.lt(0) || next.gt(mostOf(tax))) return [];
      return [fitting.with(i, { ...tax, amount: moneyString(next, currency) })];
    });
    if (moved.length === 0) return undefined;
    fitting = moved.reduce((best, one) => (distanceOf(one, rest).lt(distanceOf(best, rest)) ? one : best));
  }
  return { parts, taxes: fitting };
}

/**
 * Returns the largest difference between a tax of a credit note and its exact amount (taxable amount times percentage). The result also
 * considers the taxes of a later credit note for everything that then remains. Inclusive taxes are ignored.
 *
 * @param rest the taxes of a credit note for everything that remains now
 */
function distanceOf(taxes: readonly AppliedTax[], rest: readonly AppliedTax[]): Decimal {
  const shareOf = (taxable: Decimal | string, { percentage }: AppliedTax) =>
    new Decimal(taxable).times(percentage).dividedBy(100);
  const distances = taxes
    .filter(({ inclusive }) => !inclusive)
    .flatMap((tax) => {
      const whole = rest.find(({ taxRateId }) => taxRateId === tax.taxRateId) ?? tax;
      const here = shareOf(tax.taxable, tax).minus(tax.amount);
      return [here.abs(), shareOf(whole.taxable, tax).minus(whole.amount).minus(here).abs()];
    });
  return Decimal.max(0, ...distances);
}

/** The part of a line's net amount that was already given back. */
function backOf({ net, left }: InvoicedLine): Decimal {
  return new Decimal(net).minus(left);
}

function baseOf(line: InvoicedLine, amount: Decimal, taxes: readonly AppliedTax[]): TaxBase {
  return { amount, rates: ratesOfLine(taxes, line) };
}

function netOf({ amount, contained }: { readonly amount: Decimal; readonly contained: Decimal }): Decimal {
  return amount.minus(contained);
}

function addedOf(taxes: readonly AppliedTax[]): Decimal {
  return sumOf(taxes.filter(({ inclusive }) => !inclusive).map(({ amount }) => amount));
}
