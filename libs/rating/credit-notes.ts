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

/** A line of an invoice, with the amounts that limit further credit notes for the line. Amounts have the currency's number of decimals. */
export interface InvoicedLine extends LineAmount {
  /** The discount of the line's coupons. */
  readonly discount: DecimalString;
  /** The part of `amount` that earlier credit notes for single lines have credited. */
  readonly credited: DecimalString;
  /**
   * The amount of the line less `discount`, and less the usage that earlier invoices charged and this invoice deducted. The net amount is
   * zero for a line that gives an amount back.
   */
  readonly net: DecimalString;
  /** The part of `net` that has not been given back yet. */
  readonly left: DecimalString;
  /**
   * The ids of the taxes on this line. The ids of taxes are set only if the lines of the invoice have different taxes. If absent, the line
   * has all taxes of the invoice.
   */
  readonly taxRateIds?: readonly string[];
}

/** The amount of one tax on an invoice. */
export interface TaxAmount {
  readonly taxRateId: string;
  readonly amount: DecimalString;
}

/** The net amount of a line: after its coupons, before added taxes. */
export interface LineNetAmount {
  readonly lineId: string;
  readonly amount: DecimalString;
}

/** The amounts of an invoice that credit notes can give back. */
export interface CreditableInvoice {
  readonly currency: string;
  readonly lines: readonly InvoicedLine[];
  readonly taxes: readonly AppliedTax[];
  readonly total: DecimalString;
  /** The amounts that credit notes and other invoices have given back so far. `net` is the amount after coupons and without added taxes. */
  readonly givenBack: { readonly net: DecimalString; readonly taxes: readonly TaxAmount[] };
}

/** The amounts that a credit note gives back for one line. */
export interface CreditedLineAmounts {
  /** The credited amount before the discount. */
  readonly amount: DecimalString;
  /** The part of the line's discount that belongs to the credited amount. It is not given back. */
  readonly discount: DecimalString;
  /** The amount that is given back: `amount` less `discount`. */
  readonly net: DecimalString;
}

/**
 * Returns the amounts that a credit of `amount` on a line gives back. The amount given back is `amount` less its share of the line's
 * discount, rounded once. If several credit notes together credit a whole line, their shares of the discount sum to the line's discount.
 */
export function creditedAmountsOf(
  line: Omit<InvoicedLine, 'id' | 'net' | 'left'>,
  amount: DecimalString,
  currency: string,
): CreditedLineAmounts {
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

/**
 * The maximum amount of a line, before its discount, that a further credit note can credit. The credit note then gives back at most the
 * remaining amount of the line.
 */
export function creditableLineAmount(line: InvoicedLine, currency: string): DecimalString {
  const unit = new Decimal(10).pow(-minorUnitDigits(currency));
  const fits = (units: Decimal) =>
    new Decimal(creditedAmountsOf(line, units.times(unit).toFixed(), currency).net).lte(line.left);
  let least = new Decimal(0);
  let most = Decimal.max(new Decimal(line.amount).minus(line.credited), 0).dividedBy(unit);
  // A larger credit never gives back less, so a binary search finds the amount.
  while (least.lt(most)) {
    const middle = least.plus(most).dividedBy(2).ceil();
    if (fits(middle)) least = middle;
    else most = middle.minus(1);
  }
  return moneyString(least.times(unit), currency);
}

/** The total and the paid amount of an invoice, and the amount that credit notes gave back. */
export interface CreditNoteLimitAmounts {
  readonly total: DecimalString;
  readonly paid: DecimalString;
  /** The sum of the credit notes that already exist and have the same mode (`adjustment` or `refund`) as the new credit note. */
  readonly alreadyCredited: DecimalString;
}

/** An `adjustment` reduces the amount that is still to be paid. A `refund` gives back an amount that was paid. */
export type CreditNoteMode = 'adjustment' | 'refund';

/** The maximum amount of a further credit note: the unpaid or the paid amount, less earlier credit notes of the same mode. */
export function creditNoteLimit(
  mode: CreditNoteMode,
  { total, paid, alreadyCredited: already }: CreditNoteLimitAmounts,
  currency: string,
): DecimalString {
  const base = mode === 'refund' ? new Decimal(paid) : new Decimal(total).minus(paid);
  return moneyString(Decimal.max(base.minus(already), 0), currency);
}

/**
 * Divides a refund into an amount for the customer's balance and an amount of money. The part that was paid from the balance is returned to
 * the balance first.
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
