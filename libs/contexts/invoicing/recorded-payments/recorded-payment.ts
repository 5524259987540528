import type { OutsidePaymentMethod } from '#libs/contexts/balances';
import { Decimal, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';

/** The methods of recorded payments: outside the payment gateway, or from the customer's balance. */
export const RECORDED_PAYMENT_METHODS = [
  ...(['bank_transfer', 'cash', 'check', 'card', 'other'] as const satisfies readonly OutsidePaymentMethod[]),
  'balance',
] as const;
export type RecordedPaymentMethod = (typeof RECORDED_PAYMENT_METHODS)[number];

/**
 * The statuses of a recorded payment. Only a payment from the customer's balance can be `pending` or `failed`. A payment is `pending` until
 * the balance is checked. A payment is `failed` if the customer's balance was too low.
 */
export const RECORDED_PAYMENT_STATUSES = ['pending', 'succeeded', 'failed', 'reversed'] as const;
export type RecordedPaymentStatus = (typeof RECORDED_PAYMENT_STATUSES)[number];

/** A payment of an invoice that is not a card charge at the payment gateway. */
export interface RecordedPayment {
  paymentId: string;
  status: RecordedPaymentStatus;
  method: RecordedPaymentMethod;
  /** The amount that was received, or taken from the balance. */
  amount: DecimalString;
  /** The part of the amount that exceeded the amount due. The excess of a payment was added to the customer's balance. */
  toBalance: DecimalString;
  /** The time at which the customer paid, as the user entered it. For a payment from the balance, the time at which it was started. */
  paidAt: Instant;
  recordedAt: Instant;
  /** The user's note, such as the number of the transfer; null if there is none. Personal data. */
  reference: string | null;
  /** The instant at which the payment was reversed; null if it is not reversed. */
  reversedAt: Instant | null;
  /** The reason for the reversal; null if the payment is not reversed. Personal data. */
  reversalReason: string | null;
  /** True if the amount was carried to the next invoice as a debt of the balance. Only for the method `balance`; absent otherwise. */
  carried?: true;
  /** True if the reversal made a paid invoice unpaid again. Absent otherwise. */
  reopened?: true;
}

/** A recorded payment that the API shows: the balance could cover it, or is not checked yet. */
export type ShownRecordedPayment = RecordedPayment & { status: Exclude<RecordedPaymentStatus, 'failed'> };

/** The payments without those that the customer's balance could not cover. */
export function shownRecordedPayments(payments: readonly RecordedPayment[] = []): ShownRecordedPayment[] {
  return payments.filter((payment): payment is ShownRecordedPayment => payment.status !== 'failed');
}

/** A payment outside the payment gateway, as a user records it. */
export interface PaymentToRecord {
  readonly paymentId: string;
  /** The amount that was received. The received amount can exceed the amount due. */
  readonly amount: DecimalString;
  readonly method: Exclude<RecordedPaymentMethod, 'balance'>;
  /** The time at which the customer paid, as the user entered it. */
  readonly paidAt: Instant;
  /** The user's note, such as the number of the transfer. Personal data. */
  readonly reference: string | null;
}

/** The payments that succeeded and were not reversed. */
export function succeededPayments(payments: readonly RecordedPayment[] = []): RecordedPayment[] {
  return payments.filter(({ status }) => status === 'succeeded');
}

/** The part of a payment that paid the invoice: the amount without the excess. */
export function amountAppliedToInvoice({
  amount,
  toBalance,
}: Pick<RecordedPayment, 'amount' | 'toBalance'>): Decimal {
  return new Decimal(amount).minus(toBalance);
}

/** The amount that recorded payments have paid of an invoice. */
export function amountPaidByRecordedPayments(payments: readonly RecordedPayment[] = []): Decimal {
  return sumOf(succeededPayments(payments).map((payment) => amountAppliedToInvoice(payment).toFixed()));
}

/** The amount that recorded payments took from the customer's balance. */
export function amountPaidByBalancePayments(payments: readonly RecordedPayment[] = []): Decimal {
  return amountPaidByRecordedPayments(payments.filter(({ method }) => method === 'balance'));
}
