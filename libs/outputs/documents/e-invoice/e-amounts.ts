import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import type { Invoice } from '#libs/contexts/invoicing';
import { computeNetAmounts, type AppliedTax } from '#libs/rating';
import type { EAllowance, ECategory, EInvoice, ELine, EPeriod, EVat } from './e-invoice.js';
import { quantityAndPrice, type LineQuantity } from './e-line.js';

/**
 * An amount on the document. The amount contains the tax if the tax is inclusive. `tax` is the tax rate of the amount, or undefined if the
 * amount is not taxed.
 */
interface Taxable {
  readonly amount: DecimalString;
  readonly tax: AppliedTax | undefined;
}

/** A line of an invoice or credit note in its printed form. */
export interface PrintedLine extends LineQuantity, Taxable {
  readonly name: string;
  readonly note: string | null;
  readonly period: EPeriod;
}

/** A discount on the lines of one tax rate. */
export interface RateDiscount extends Taxable {
  readonly name: string;
}

/** The lines and discounts of one tax rate. `net` has the amounts of the lines and discounts without the tax. */
interface OfRate {
  readonly tax: AppliedTax | undefined;
  readonly net: ReadonlyMap<Taxable, Decimal>;
  readonly rounding: Decimal;
}

/** Computes all amounts without tax, and the totals by the rules of EN 16931 (BR-CO-10, -11, -13 to -16). */
export function eInvoiceAmounts({
  invoice,
  lines,
  discounts,
  prepaid,
  currency,
}: {
  invoice: Invoice;
  lines: readonly PrintedLine[];
  discounts: readonly RateDiscount[];
  prepaid: Decimal;
  currency: string;
}): Pick<EInvoice, 'vat' | 'lines' | 'allowances' | 'totals'> {
  const money = (amount: Decimal) => moneyString(amount, currency);
  const byRate = Map.groupBy<string | undefined, PrintedLine | RateDiscount>(
    [...lines, ...discounts],
    ({ tax }) => tax?.taxRateId,
  );
  const rates = [...byRate.values()].map((ofRate) => ofOneRate(ofRate, discounts, currency));
  const net = new Map(rates.flatMap((rate) => [...rate.net]));
  const netOf = (all: readonly Taxable[]) => sumOf(all.map((one) => net.get(one)!));
  const vat = breakdown(invoice, rates, currency);
  const [ofLines, taken] = [netOf(lines), netOf(discounts).negated()];
  const withoutVat = ofLines.minus(taken);
  const tax = sumOf(vat.map(({ amount }) => amount));
  const withVat = withoutVat.plus(tax);
  const rounding = sumOf(rates.map((rate) => rate.rounding));
  const category = (one: Taxable) => shortCategoryOf(invoice, one.tax);
  return {
    vat,
    lines: lines.map((line, i) => lineOf(line, i, net.get(line)!, category(line), currency)),
    allowances: discounts.flatMap((one): EAllowance[] => {
      const amount = net.get(one)!.negated();
      return amount.isZero() ? [] : [{ reason: one.name, amount: money(amount), category: category(one) }];
    }),
    totals: {
      lines: money(ofLines),
      allowances: money(taken),
      withoutVat: money(withoutVat),
      vat: money(tax),
      withVat: money(withVat),
      prepaid: money(prepaid),
      rounding: money(rounding),
      due: money(withVat.minus(prepaid).plus(rounding)),
    },
  };
}

function ofOneRate(all: readonly Taxable[], discounts: readonly Taxable[], currency: string): OfRate {
  const { tax } = all[0]!;
  const given = all.map((one) => (discounts.includes(one) ? `-${one.amount}` : one.amount));
  const { amounts, rounding } = computeNetAmounts(given, tax, currency);
  return { tax, rounding, net: new Map(all.map((one, i) => [one, amounts[i]!])) };
}

/**
 * The VAT breakdown by category and percentage. Two tax rates with the same percentage, such as an added and an inclusive rate, share an
 * entry of the VAT breakdown.
 */
function breakdown(invoice: Invoice, rates: readonly OfRate[], currency: string): EVat[] {
  const same = Map.groupBy(rates, ({ tax }) => JSON.stringify(shortCategoryOf(invoice, tax)));
  return [...same.values()].map((together) => ({
    ...categoryOf(invoice, together[0]!.tax),
    taxable: moneyString(sumOf(together.flatMap(({ net }) => [...net.values()])), currency),
    amount: moneyString(sumOf(together.map(({ tax }) => tax?.amount ?? '0')), currency),
  }));
}

function lineOf(
  { name, note, period, quantity, unitPrice, tax }: PrintedLine,
  i: number,
  amount: Decimal,
  category: ECategory,
  currency: string,
): ELine {
  const price = unitPrice === undefined || tax?.inclusive ? {} : { unitPrice };
  return {
    id: String(i + 1),
    name,
    note,
    ...quantityAndPrice({ quantity, ...price }, amount, currency),
    amount: moneyString(amount, currency),
    period,
    category,
  };
}

function shortCategoryOf(invoice: Invoice, tax: AppliedTax | undefined): ECategory {
  const { code, percent } = categoryOf(invoice, tax);
  return { code, percent };
}

/**
 * The VAT category of each kind of exemption. The reason code is from CEF's VATEX code list; it is null if the list has several possible
 * codes (BR-AE-10, BR-G-10, BR-O-10).
 */
const CATEGORIES = {
  exempt: { code: 'E', reasonCode: null },
  reverse_charge: { code: 'AE', reasonCode: 'VATEX-EU-AE' },
  export: { code: 'G', reasonCode: 'VATEX-EU-G' },
  not_subject: { code: 'O', reasonCode: 'VATEX-EU-O' },
} as const;

/** The VAT category of a tax rate or an exemption. `S` is a standard or reduced rate, `Z` is a rate of zero. Exemptions have a reason. */
function categoryOf(
  { taxExemption, taxExemptionType = 'exempt' }: Invoice,
  tax: AppliedTax | undefined,
): Pick<EVat, 'code' | 'percent' | 'reason' | 'reasonCode'> {
  if (tax) {
    const percent = new Decimal(tax.percentage);
    return { code: percent.isZero() ? 'Z' : 'S', percent: percent.toFixed(), reason: null, reasonCode: null };
  }
  const { code, reasonCode } = CATEGORIES[taxExemptionType];
  return { code, percent: code === 'O' ? null : '0', reason: taxExemption ?? null, reasonCode };
}
