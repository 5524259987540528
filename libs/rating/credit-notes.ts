import {
  Decimal,
  minorUnitDigits,
  moneyString,
  roundToCurrency,
  type DecimalString,
} from '#libs/kernel/core';
import type { AppliedTax } from './taxes.js';

/** An amount of one line of an invoice. */
export interface LineAmount {
  readonly id: string;
  readonly amount: DecimalString;
}

/** A line of an invoice, as far as it can be credited. Money has the currency's digits. */
export interface CreditableLine extends LineAmount {
  /** What coupons took off it. */
  readonly discount: DecimalString;
  /** What earlier notes over lines credited of `amount`. */
  readonly credited: DecimalString;
  /** `amount` less `discount`, and less what its invoice left out of it; zero for a line that gives back. */
  readonly net: DecimalString;
  /** What of `net` was not given back yet, in whichever way. */
  readonly left: DecimalString;
  /** Those of the invoice's taxes that are on it, where its lines have different ones; absent: all. */
  readonly taxRateIds?: readonly string[];
}

/** An amount of a tax rate. */
export interface TaxAmount {
  readonly taxRateId: string;
  readonly amount: DecimalString;
}

/** An amount of a line, less its own coupons and before taxes that are added. */
export interface LineNet {
  readonly lineId: string;
  readonly amount: DecimalString;
}

/** An invoice, as far as it can be credited. */
export interface CreditableInvoice {
  readonly currency: string;
  readonly lines: readonly CreditableLine[];
  readonly taxes: readonly AppliedTax[];
  readonly total: DecimalString;
  /** What was given back of it so far, in whichever way: less coupons and before taxes that are added; and its taxes. */
  readonly back: { readonly net: DecimalString; readonly taxes: readonly TaxAmount[] };
}

/** What a credit note over a line gives back. */
export interface CreditedLine {
  readonly amount: DecimalString;
  /** What of the line's discount falls on it, and is not given back. */
  readonly discount: DecimalString;
  readonly net: DecimalString;
}

/**
 * What crediting `amount` of a line gives back: that less its share of the line's own discount, rounded once. The shares of all notes
 * over a line add up to its discount when all of it is credited.
 */
export function creditedLine(
  line: Omit<CreditableLine, 'id' | 'net' | 'left'>,
  amount: DecimalString,
  currency: string,
): CreditedLine {
  const shareOf = (credited: Decimal) =>
    credited.isZero()
      ? credited
      : roundToCurrency(credited.times(line.discount).dividedBy(line.amount), currency);
  const before = new Decimal(line.credited);
  const discount = shareOf(before.plus(amount)).minus(shareOf(before));
  return {
    amount: moneyString(new Decimal(amount), currency),
    discount: moneyString(discount, currency),
    net: moneyString(new Decimal(amount).minus(discount), currency),
  };
}

/** The maximum of a line, before its discount, that a further credit note can credit: it gives back no more than is left of the line. */
export function creditableAmount(line: CreditableLine, currency: string): DecimalString {
  const unit = new Decimal(10).pow(-minorUnitDigits(currency));
  const fits = (units: Decimal) =>
    new Decimal(creditedLine(line, units.times(unit).toFixed(), currency).net).lte(line.left);
  let least = new Decimal(0);
  let most = Decimal.max(new Decimal(line.amount).minus(line.credited), 0).dividedBy(unit);
  // What is given back never falls as more is credited, so halving finds it.
  while (least.lt(most)) {
    const middle = least.plus(most).dividedBy(2).ceil();
    if (fits(middle)) least = middle;
    else most = middle.minus(1);
  }
  return moneyString(least.times(unit), currency);
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
