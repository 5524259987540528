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
  /** The discount of its coupons. */
  readonly discount: DecimalString;
  /** The part of `amount` that earlier credit notes over lines credited. */
  readonly credited: DecimalString;
  /** `amount` less `discount`, and less what its invoice left out of it; zero for a line that gives back. */
  readonly net: DecimalString;
  /** The part of `net` that was not given back yet in any way. */
  readonly left: DecimalString;
  /** The ids of the taxes on this line, if the invoice's lines have different ones. Absent: all taxes of the invoice. */
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
  /** The amounts given back so far in any way: net of coupons and added taxes, and the taxes. */
  readonly back: { readonly net: DecimalString; readonly taxes: readonly TaxAmount[] };
}

/** The amounts that a credit note gives back for one line. */
export interface CreditedLine {
  readonly amount: DecimalString;
  /** The share of the line's discount for the credited amount. It is not given back. */
  readonly discount: DecimalString;
  readonly net: DecimalString;
}

/**
 * Returns what crediting `amount` of a line gives back: the amount less its share of the line's discount, rounded once. The shares of all
 * notes over a line add up to its discount when all of it is credited.
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
  // Crediting more never gives back less, so a binary search finds the amount.
  while (least.lt(most)) {
    const middle = least.plus(most).dividedBy(2).ceil();
    if (fits(middle)) least = middle;
    else most = middle.minus(1);
  }
  return moneyString(least.times(unit), currency);
}

/** The payments of an invoice, and the amounts given back of them. */
export interface Settlement {
  readonly total: DecimalString;
  readonly paid: DecimalString;
  /** By earlier notes of the same kind. */
  readonly already: DecimalString;
}

/** `adjustment` reduces the amount that is still to be paid. `refund` gives back amounts that were paid. */
export type CreditNoteMode = 'adjustment' | 'refund';

/** The maximum amount of a further credit note: the unpaid or the paid amount, less earlier credit notes of the same mode. */
export function creditNoteLimit(
  mode: CreditNoteMode,
  { total, paid, already }: Settlement,
  currency: string,
): DecimalString {
  const base = mode === 'refund' ? new Decimal(paid) : new Decimal(total).minus(paid);
  return moneyString(Decimal.max(base.minus(already), 0), currency);
}

/**
 * Divides a refund into the part for the customer's balance and the part in money. Credits that paid for the invoice are given back first.
 */
export function splitRefund(
  amount: DecimalString,
  used: { readonly credits: DecimalString; readonly paid: DecimalString },
  currency: string,
): { toBalance: DecimalString; refunded: DecimalString } {
  const toBalance = Decimal.min(amount, used.credits);
  const refunded = Decimal.min(new Decimal(amount).minus(toBalance), used.paid);
  return { toBalance: moneyString(toBalance, currency), refunded: moneyString(refunded, currency) };
}
