import { Decimal, moneyString, roundToCurrency, sumOf, type DecimalString } from '#libs/core';
import { creditedLines, type InvoiceDiscount, type LineAmount } from './credit-notes.js';
import type { AppliedTax } from './taxes.js';

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
 * What a credit note over part of an invoice comes to. Each tax is shared out by what has been credited up to and with the note, so
 * that notes over all of the invoice take back all of each tax. `before`: the notes that there are. RangeError for a line that
 * the invoice does not have.
 */
export function noteAmounts(
  invoice: CreditableInvoice,
  request: CreditRequest,
  before: readonly NoteAmounts[] = [],
): NoteAmounts {
  const { currency } = invoice;
  if (request.lines === undefined) {
    const total = new Decimal(request.amount);
    const taxes = taxesOf(
      invoice,
      before,
      sumOf(before.map((note) => note.total)).plus(total),
      invoice.total,
    );
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
  const taxes = taxesOf(invoice, before, upTo, whole.toFixed());
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

/** The share of each tax that falls on `upTo` of `whole`, less what earlier notes took back of it. */
function taxesOf(
  { taxes, currency }: CreditableInvoice,
  before: readonly NoteAmounts[],
  upTo: Decimal,
  whole: DecimalString,
): AppliedTax[] {
  return taxes.map((tax) => {
    const back = sumOf(
      before.flatMap((note) =>
        note.taxes.filter(({ taxRateId }) => taxRateId === tax.taxRateId).map(({ amount }) => amount),
      ),
    );
    const left = new Decimal(tax.amount).minus(back);
    const share = new Decimal(whole).isZero()
      ? new Decimal(0)
      : roundToCurrency(upTo.times(tax.amount).dividedBy(whole), currency).minus(back);
    return { ...tax, amount: moneyString(Decimal.max(Decimal.min(share, left), 0), currency) };
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
