import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/core';
import { creditedLines, type InvoiceDiscount, type LineAmount } from './credit-notes.js';
import { taxesOn, type AppliedTax } from './taxes.js';

/** An invoice, as far as it can be credited. */
export interface CreditableInvoice {
  readonly currency: string;
  readonly lines: readonly LineAmount[];
  readonly discounts: readonly InvoiceDiscount[];
  readonly taxes: readonly AppliedTax[];
  readonly total: DecimalString;
}

/** What is to be credited: amounts of lines, as they stand on the invoice, or an amount with its taxes. */
export type CreditRequest =
  { readonly lines: readonly LineAmount[] } | { readonly lines?: undefined; readonly amount: DecimalString };

/** What a credit note comes to. Money has the currency's digits. */
export interface NoteAmounts {
  /** Before discounts and taxes; none for a note over an amount. */
  readonly lines: readonly LineAmount[];
  /** What of the coupons falls on the lines, and is not given back. */
  readonly discount: DecimalString;
  /** What it takes back of each tax; `taxable` is what it gives back without them. */
  readonly taxes: readonly AppliedTax[];
  /** What is given back: the lines less the discount, with the taxes that are added to them. */
  readonly total: DecimalString;
}

/**
 * What a credit note over part of an invoice comes to. Of each tax it takes back what falls on all that has been credited up to and
 * with the note, less what earlier notes took back: so the first has the rate's share of its amount, to the minor unit, each later one
 * is off by less than one, and notes over all of the invoice take back all of each tax. `before`: the notes that there are. RangeError
 * for a line that the invoice does not have.
 */
export function noteAmounts(
  invoice: CreditableInvoice,
  request: CreditRequest,
  before: readonly NoteAmounts[] = [],
): NoteAmounts {
  const { currency } = invoice;
  if (request.lines === undefined) {
    const total = new Decimal(request.amount);
    const upTo = sumOf(before.map((note) => note.total)).plus(total);
    const contained = { ...invoice, taxes: invoice.taxes.map((tax) => ({ ...tax, inclusive: true })) };
    const taxes = taxesOf(invoice, before, upTo.eq(invoice.total) ? null : taxed(contained, upTo));
    return {
      lines: [],
      discount: moneyString(sumOf([]), currency),
      taxes: withTaxable(taxes, total.minus(sumOf(taxes.map(({ amount }) => amount))), currency),
      total: moneyString(total, currency),
    };
  }
  const credited = request.lines.map(({ id, amount }) => ({
    id,
    amount: moneyString(new Decimal(amount), currency),
  }));
  const earlier = before.flatMap(({ lines }) => lines);
  const { discount, net } = creditedLines(invoice.lines, invoice.discounts, credited, currency, earlier);
  const whole = sumOf(invoice.lines.map(({ amount }) => amount)).minus(
    sumOf(invoice.discounts.map(({ amount }) => amount)),
  );
  const upTo = sumOf(before.map(netOf)).plus(net);
  const taxes = taxesOf(invoice, before, upTo.eq(whole) ? null : taxed(invoice, upTo));
  const { contained, added } = sides(taxes);
  return {
    lines: credited,
    discount,
    taxes: withTaxable(taxes, new Decimal(net).minus(contained), currency),
    total: moneyString(new Decimal(net).plus(added), currency),
  };
}

/** What a note gives back before the taxes that were added. */
function netOf({ total, taxes }: NoteAmounts): Decimal {
  return new Decimal(total).minus(sides(taxes).added);
}

/** What an invoice over `amount` would come to in taxes, in the order of the invoice's. */
function taxed(
  { taxes, currency }: Pick<CreditableInvoice, 'taxes' | 'currency'>,
  amount: Decimal,
): DecimalString[] {
  return taxesOn(amount, taxes, currency).taxes.map((tax) => tax.amount);
}

/** Of each tax `upTo`, or all of it, less what earlier notes took back. */
function taxesOf(
  { taxes, currency }: CreditableInvoice,
  before: readonly NoteAmounts[],
  upTo: readonly DecimalString[] | null,
): AppliedTax[] {
  return taxes.map((tax, i) => {
    const back = sumOf(
      before.flatMap((note) =>
        note.taxes.filter(({ taxRateId }) => taxRateId === tax.taxRateId).map(({ amount }) => amount),
      ),
    );
    const due = Decimal.min(upTo?.[i] ?? tax.amount, tax.amount).minus(back);
    return { ...tax, amount: moneyString(Decimal.max(due, 0), currency) };
  });
}

function withTaxable(taxes: readonly AppliedTax[], taxable: Decimal, currency: string): AppliedTax[] {
  return taxes.map((tax) => ({ ...tax, taxable: moneyString(taxable, currency) }));
}

function sides(taxes: readonly AppliedTax[]): { contained: Decimal; added: Decimal } {
  const sum = (inclusive: boolean) =>
    sumOf(taxes.filter((tax) => tax.inclusive === inclusive).map(({ amount }) => amount));
  return { contained: sum(true), added: sum(false) };
}
