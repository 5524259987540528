import { Decimal, deriveId, sumOf, type DecimalString } from '#libs/kernel/core';
import type { AppliedTax, InvoiceLine, LineNetAmount, TaxAmount } from '#libs/rating';

/** The net amounts and taxes of an invoice that a later invoice gives back. Amounts have the currency's number of decimals. */
export interface GiveBack {
  /** The later invoice. */
  readonly byInvoiceId: string;
  /**
   * The net amount of each line that is given back: after coupon discounts, and without added taxes. Each line is listed only once, with an
   * amount above zero.
   */
  readonly lines: readonly LineNetAmount[];
  /** The amount of each tax that is given back. Absent if no tax is given back. */
  readonly taxes?: readonly TaxAmount[];
}

/**
 * The part of an invoice's lines that went back at the payment processor, by a refund or a dispute. An amount that went back is divided
 * over the lines as a credit note over one amount is.
 */
export interface ReturnedAmounts {
  /** The net amount of each line: after coupons and before added taxes. Empty if nothing was left of any line. */
  readonly lines: readonly LineNetAmount[];
  /** The amount of each tax. Absent if no tax went back. */
  readonly taxes?: readonly TaxAmount[];
}

/** A refund of ours that money which went back at the payment processor has taken the place of. */
export type CoveredRefund =
  | { readonly creditNoteId: string; readonly amount: DecimalString }
  /** The refund for the later invoice `byInvoiceId`. */
  | { readonly byInvoiceId: string; readonly amount: DecimalString };

/** How money that went back at the payment processor fits what was given back before. Both fields are absent if nothing was. */
export interface ExcessOfReturn {
  /** The part of the money that had been given back in another way already. */
  readonly excess?: DecimalString;
  /** The refunds of ours that this part has taken the place of. They are not made, or are not owed any more. */
  readonly covers?: readonly CoveredRefund[];
}

/** A reduction of the amount due, because a later invoice gave back more than it charged. */
export interface AmountDueReduction {
  /** The later invoice that gave the amount back. */
  readonly byInvoiceId: string;
  /** The amount by which the amount due was reduced. */
  readonly amount: DecimalString;
}

/**
 * The statuses of the refund of an invoice's payment. `pending`: the payment gateway has not accepted the refund yet. `refused`: the
 * payment gateway refused the refund permanently. `failed`: the refund failed after the payment gateway had accepted it. The amount of a
 * refund that was refused or failed goes to the customer's balance.
 */
export const PAYMENT_REFUND_STATUSES = ['pending', 'succeeded', 'refused', 'failed'] as const;

/** A refund of a part of an invoice's payment, because a later invoice gave back more than it charged. */
export interface PaymentRefund {
  /** The later invoice that gave the amount back. */
  readonly byInvoiceId: string;
  /** The amount that is refunded. */
  readonly amount: DecimalString;
  readonly status: (typeof PAYMENT_REFUND_STATUSES)[number];
  /** Why the payment gateway refused the refund, or why the refund failed. Absent if neither happened. */
  readonly refusal?: string;
  /** The part of `amount` that a refund or a lost dispute at the payment processor has given back. Absent if it is zero. */
  readonly covered?: DecimalString;
}

/** The part of a refund that nothing at the payment processor has given back instead. */
export function paymentRefundLeft({ amount, covered = '0' }: PaymentRefund): Decimal {
  return new Decimal(amount).minus(covered);
}

/** The id of a refund of an invoice's payment. An invoice's payment is refunded at most once for each later invoice. */
export function paymentRefundId(invoiceId: string, laterInvoiceId: string): string {
  return deriveId('ref', invoiceId, laterInvoiceId);
}

/** The amount of a give-back, including the taxes that are added to the lines. */
export function grossGiveBackAmount(
  { lines, taxes: back = [] }: GiveBack,
  { taxes = [] }: { readonly taxes?: readonly AppliedTax[] },
): Decimal {
  const isAdded = ({ taxRateId }: TaxAmount) =>
    !taxes.some((tax) => tax.taxRateId === taxRateId && tax.inclusive);
  return sumOf([...lines, ...back.filter(isAdded)].map(({ amount }) => amount));
}

/** The sum of the reductions of an invoice's amount due. */
export function totalReductionByGiveBacks(reductions: readonly AmountDueReduction[]): Decimal {
  return sumOf(reductions.map(({ amount }) => amount));
}

/** The ids of the earlier invoices whose charges the lines give back, without repetitions, in the order of the lines. */
export function sourceInvoiceIds(lines: readonly Pick<InvoiceLine, 'givesBack'>[]): string[] {
  return [...new Set(lines.flatMap(({ givesBack = [] }) => givesBack.map(({ invoiceId }) => invoiceId)))];
}
