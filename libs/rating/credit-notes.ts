import { Decimal, moneyString, roundToCurrency, sumOf, type DecimalString } from '#libs/core';

/** An amount of one line of an invoice. */
export interface LineAmount {
  readonly id: string;
  readonly amount: DecimalString;
}

/** A discount on an invoice: what it took off, and from which lines; absent: from all. */
export interface InvoiceDiscount {
  readonly amount: DecimalString;
  readonly lineIds?: readonly string[];
}

/** What a credit note over lines gives back. */
export interface CreditedLines {
  readonly amount: DecimalString;
  /** What of the discounts falls on it, and is not given back. */
  readonly discount: DecimalString;
  readonly net: DecimalString;
}

/**
 * What crediting amounts of lines gives back: the amounts less their shares of the discounts, each rounded once. `before`: what
 * earlier notes credited; the shares of all notes add up to the discount when all is credited. RangeError for a line that the
 * invoice does not have.
 */
export function creditedLines(
  lines: readonly LineAmount[],
  discounts: readonly InvoiceDiscount[],
  credited: readonly LineAmount[],
  currency: string,
  before: readonly LineAmount[] = [],
): CreditedLines {
  for (const { id } of [...credited, ...before])
    if (!lines.some((line) => line.id === id)) throw new RangeError(`The invoice has no line ${id}`);
  const shares = discounts.map((discount) =>
    shareOf(lines, discount, [...before, ...credited], currency).minus(
      shareOf(lines, discount, before, currency),
    ),
  );
  const amount = totalOf(credited);
  const discount = sumOf(shares);
  return {
    amount: moneyString(amount, currency),
    discount: moneyString(discount, currency),
    net: moneyString(amount.minus(discount), currency),
  };
}

function shareOf(
  lines: readonly LineAmount[],
  { amount, lineIds }: InvoiceDiscount,
  credited: readonly LineAmount[],
  currency: string,
): Decimal {
  const counts = ({ id }: LineAmount) => lineIds === undefined || lineIds.includes(id);
  // What gives something back is not discounted.
  const discounted = totalOf(lines.filter((line) => counts(line) && new Decimal(line.amount).gt(0)));
  if (discounted.isZero()) return new Decimal(0);
  return roundToCurrency(totalOf(credited.filter(counts)).times(amount).dividedBy(discounted), currency);
}

/** What an invoice was paid with, and what has been given back of it. */
export interface Settlement {
  readonly total: DecimalString;
  readonly paid: DecimalString;
  /** By earlier notes of the same kind. */
  readonly already: DecimalString;
}

/** `adjustment`: lowers what is still to be paid. `refund`: gives back what was paid. */
export type CreditNoteMode = 'adjustment' | 'refund';

/** The most that a further note may be over: what is unpaid, or what was paid, less earlier notes of its kind. */
export function creditNoteLimit(
  mode: CreditNoteMode,
  { total, paid, already }: Settlement,
  currency: string,
): DecimalString {
  const base = mode === 'refund' ? new Decimal(paid) : new Decimal(total).minus(paid);
  return moneyString(Decimal.max(base.minus(already), 0), currency);
}

/** What goes back to the customer's balance and what in money: credits that paid for the invoice come back first. */
export function splitRefund(
  amount: DecimalString,
  used: { readonly credits: DecimalString; readonly paid: DecimalString },
  currency: string,
): { toBalance: DecimalString; refunded: DecimalString } {
  const toBalance = Decimal.min(amount, used.credits);
  const refunded = Decimal.min(new Decimal(amount).minus(toBalance), used.paid);
  return { toBalance: moneyString(toBalance, currency), refunded: moneyString(refunded, currency) };
}

function totalOf(lines: readonly LineAmount[]): Decimal {
  return sumOf(lines.map(({ amount }) => amount));
}
