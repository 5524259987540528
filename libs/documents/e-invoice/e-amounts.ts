import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/core';
import type { Invoice } from '#libs/invoicing';
import { netAmounts, type AppliedTax } from '#libs/rating';
import type { EAllowance, EInvoice, ELine, EPeriod, EVat } from './e-invoice.js';
import { quantityAndPrice, type Counted } from './e-line.js';

/** A line or a discount as it is printed, with the tax in it if that is inclusive. */
export interface Printed extends Counted {
  readonly name: string;
  readonly note: string | null;
  readonly amount: DecimalString;
  readonly period: EPeriod;
}

export interface Discounted {
  readonly name: string;
  readonly amount: DecimalString;
}

/** The amounts, all without tax, and the sums as the norm has them (BR-CO-10, -11, -13 to -16). */
export function amountsOf({
  invoice,
  lines,
  discounts,
  tax,
  prepaid,
  currency,
}: {
  invoice: Invoice;
  lines: readonly Printed[];
  discounts: readonly Discounted[];
  tax: AppliedTax | undefined;
  prepaid: Decimal;
  currency: string;
}): Pick<EInvoice, 'vat' | 'lines' | 'allowances' | 'totals'> {
  const money = (amount: Decimal) => moneyString(amount, currency);
  const { amounts, rounding } = netAmounts(
    [...lines.map(({ amount }) => amount), ...discounts.map(({ amount }) => `-${amount}`)],
    tax,
    currency,
  );
  const net = amounts.slice(0, lines.length);
  const taken = amounts.slice(lines.length).map((amount) => amount.negated());
  const withoutVat = sumOf(amounts);
  const vat = new Decimal(tax?.amount ?? 0);
  const withVat = withoutVat.plus(vat);
  return {
    vat: { ...categoryOf(invoice, tax), taxable: money(withoutVat), amount: money(vat) },
    lines: lines.map((line, i) => lineOf(line, i, net[i]!, tax, currency)),
    allowances: discounts.flatMap(({ name: reason }, i): EAllowance[] =>
      taken[i]!.isZero() ? [] : [{ reason, amount: money(taken[i]!) }],
    ),
    totals: {
      lines: money(sumOf(net)),
      allowances: money(sumOf(taken)),
      withoutVat: money(withoutVat),
      vat: money(vat),
      withVat: money(withVat),
      prepaid: money(prepaid),
      rounding: money(rounding),
      due: money(withVat.minus(prepaid).plus(rounding)),
    },
  };
}

function lineOf(
  { name, note, period, quantity, unitPrice }: Printed,
  i: number,
  amount: Decimal,
  tax: AppliedTax | undefined,
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
  };
}

/** What an exemption is in VAT categories and, where there is no choice of grounds, in the code list of CEF for VATEX (BR-AE-10, BR-G-10, BR-O-10). */
const CATEGORIES = {
  exempt: { code: 'E', reasonCode: null },
  reverse_charge: { code: 'AE', reasonCode: 'VATEX-EU-AE' },
  export: { code: 'G', reasonCode: 'VATEX-EU-G' },
  not_subject: { code: 'O', reasonCode: 'VATEX-EU-O' },
} as const;

/** Standard or reduced rates are `S`, a rate of nothing is `Z`, and the exempt say why. */
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
