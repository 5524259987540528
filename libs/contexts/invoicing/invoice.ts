import {
  addSeconds,
  Decimal,
  type DecimalString,
  type Instant,
  moneyString,
  omit,
  sumOf,
} from '#libs/kernel/core';
import { appliedBalance } from '#libs/rating';
import { totalReductionByCreditNotes, type CreditNote } from './credit-notes/credit-note.js';
import type {
  ChargedPaymentMethod,
  DisputeReport,
  InvoiceDetails,
  InvoiceOpening,
  RecomputedAmounts,
} from './events.js';
import {
  totalReductionByGiveBacks,
  type CoveredRefund,
  type GiveBack,
  type PaymentRefund,
  type AmountDueReduction,
  type ReturnedAmounts,
} from './give-backs/give-back.js';
import type { InvoiceRetries } from './payment-retries.js';
import { amountPaidByRecordedPayments, type RecordedPayment } from './recorded-payments/recorded-payment.js';

/** The statuses of an invoice. An `uncollectible` invoice is written off, but can still be paid. */
export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** One attempt to charge a card. An attempt is `pending` until its result is known. */
export interface PaymentAttempt {
  attemptId: string;
  /** The number of the attempt on this invoice, from 1. */
  attempt: number;
  /** The number of the planned retry, from 1. Absent if the payment was not a planned retry. */
  retry?: number;
  status: 'pending' | 'succeeded' | 'failed' | 'requires_action';
  amount: DecimalString;
  currency: string;
  /** The payment method that was charged. */
  method: ChargedPaymentMethod;
  /** True if the customer chose the payment method for this payment in place of the default. */
  chosenMethod?: true;
  /** True if the customer has given the confirmation that the bank required. */
  confirmed: boolean;
  startedAt: Instant;
  /** The instant at which the charge succeeded or failed. Null until then. */
  finishedAt: Instant | null;
  /**
   * The reason why the attempt did not succeed. `code` is for programs, and `message` is for people. Null while the attempt is pending, and
   * if it succeeded.
   */
  code: string | null;
  message: string | null;
}

/** The code of a payment attempt that waited for the customer's confirmation when its invoice was voided. */
export const VOIDED_ATTEMPT_CODE = 'invoice_voided';

/** A dispute of a payment. */
export interface PaymentDispute extends DisputeReport {
  /** The instant at which the dispute was recorded first. */
  openedAt: Instant;
  /** Null while the bank has not decided the dispute. */
  closedAt: Instant | null;
  /** The part of the lines that is disputed, or that was lost. Nothing else can give back this part. */
  returned?: ReturnedAmounts;
  /** See {@link ExcessOfReturn}. Absent unless a part of the lost money was given back before. */
  excess?: DecimalString;
  covers?: readonly CoveredRefund[];
  /** The part of `excess` that was taken off the customer's balance. Absent if it is zero. */
  takenBack?: DecimalString;
}

/**
 * A refund that neither a credit note nor a later invoice asked for. Such a refund is of one of two kinds. The first kind was made at the
 * payment processor itself, for example in its dashboard. The second kind is a failed refund by Countinghouse of a charge that succeeded
 * when nothing was owed for it any more.
 */
export interface RefundWithoutDocument {
  /** The payment attempt whose charge was refunded. */
  attemptId: string;
  /** The payment processor's id of the refund. */
  refundId: string;
  amount: DecimalString;
  /** The part of the lines that was refunded. Absent for a refund of a charge that the invoice did not need. */
  returned?: ReturnedAmounts;
  /** See {@link ExcessOfReturn}. Absent unless a part of the money was given back before. */
  excess?: DecimalString;
  covers?: readonly CoveredRefund[];
  /** The part of `excess` that was taken off the customer's balance. Absent if it is zero. */
  takenBack?: DecimalString;
  /** Why the refund failed. Absent if the refund did not fail. */
  failure?: string;
}

/** The state of an invoice, computed from its events. */
export interface Invoice extends InvoiceDetails {
  status: InvoiceStatus;
  createdAt: Instant;
  /** The number that the invoice received when it was opened. Null for a draft, and for an invoice that was voided as a draft. */
  number: string | null;
  /** The name of the workspace when the invoice was opened. Null if the invoice was never opened, or if the workspace had no name. */
  sellerName: string | null;
  /**
   * The part of the total that the customer's balance paid when the invoice was opened. Below zero if the invoice collects a debt of earlier
   * invoices.
   */
  balanceApplied: DecimalString;
  /** The instant at which the invoice was opened. Null for a draft, and for an invoice that was voided as a draft. */
  issuedAt: Instant | null;
  /**
   * The instant by which the invoice must be paid. Until the invoice is opened, the due date is computed as if it were opened at
   * `billedAt`.
   */
  dueDate: Instant;
  paidAt: Instant | null;
  voidedAt: Instant | null;
  voidReason: string | null;
  attempts: PaymentAttempt[];
  /** The recorded payments, including reversed ones, in the order in which they were recorded. Absent until the first one. */
  recordedPayments?: RecordedPayment[];
  /** True if the invoice was ever written off, even if it was paid afterwards. Absent otherwise. */
  writtenOff?: true;
  /** The state of the payment retries. Absent until a charge fails or needs a confirmation, and gets a retry plan. */
  retries?: InvoiceRetries;
  /** All credit notes of the invoice, including void ones, in the order of their issue. */
  creditNotes: CreditNote[];
  /** The amounts of this invoice that later invoices gave back, in the order in which they were recorded. */
  givenBack: GiveBack[];
  /** The amounts by which later invoices reduced the amount due, in the order in which they were recorded. */
  reductions: AmountDueReduction[];
  /** The disputes of payments, in the order in which they were recorded. Absent if no payment was disputed. */
  disputes?: PaymentDispute[];
  /** The refunds that neither a credit note nor a later invoice asked for. Absent if no such refund was recorded. */
  gatewayRefunds?: RefundWithoutDocument[];
  /** The refunds of this invoice's payment that later invoices caused, in the order in which they were recorded. */
  refunds: PaymentRefund[];
}

/**
 * Returns the payment attempt that is in progress. Returns undefined if no card is being charged. While a payment attempt is in progress,
 * the invoice cannot be charged again or voided.
 */
export function pendingAttempt(invoice: Invoice): PaymentAttempt | undefined {
  return invoice.attempts.find(({ status }) => status === 'pending');
}

/** Returns true while a card is being charged for the invoice, and while a payment from the customer's balance is in progress. */
export function isBeingPaid(invoice: Invoice): boolean {
  const { recordedPayments = [] } = invoice;
  return pendingAttempt(invoice) !== undefined || recordedPayments.some(({ status }) => status === 'pending');
}

/** The amount of an invoice that was paid by charges of cards. */
export function amountPaidByCard({ attempts }: Pick<Invoice, 'attempts'>): Decimal {
  return sumOf(attempts.filter(({ status }) => status === 'succeeded').map(({ amount }) => amount));
}

/**
 * The amount that was paid by charges of cards and by recorded payments, without the part above the amount due. The amount that the
 * customer's balance paid when the invoice was opened is not included.
 */
export function amountPaid(invoice: Invoice): DecimalString {
  return moneyString(
    amountPaidByCard(invoice).plus(amountPaidByRecordedPayments(invoice.recordedPayments)),
    invoice.currency,
  );
}

/**
 * Returns the newest payment attempt, if it waits for the customer's confirmation. A payment attempt that is not the newest cannot be
 * confirmed. Returns no attempt if the amount due has changed meanwhile, for example by a credit note or a recorded payment. The gateway
 * would charge the old amount.
 */
export function attemptRequiringAction(invoice: Invoice): PaymentAttempt | undefined {
  const last = invoice.attempts.at(-1);
  if (last?.status !== 'requires_action') return undefined;
  return new Decimal(last.amount).eq(amountToPay(invoice)) ? last : undefined;
}

/**
 * The amount due. The amount due is the total less the customer's balance, credit notes, reductions by later invoices, and payments. The
 * amount due of a paid invoice is zero. The result is of no use for a void invoice, which owes nothing. For a draft, the result is the
 * amount due after the draft is opened with `opening`.
 */
export function amountToPay(invoice: Invoice, opening: InvoiceOpening | null = null): DecimalString {
  const applied = opening ? balanceToApply(invoice, opening) : invoice.balanceApplied;
  return moneyString(
    new Decimal(invoice.total)
      .minus(applied)
      .minus(totalReductionByCreditNotes(invoice.creditNotes))
      .minus(totalReductionByGiveBacks(invoice.reductions))
      .minus(amountPaid(invoice)),
    invoice.currency,
  );
}

/**
 * The part of the balance that a draft uses when it is opened. The used part of the balance is at most the draft's total. A balance below
 * zero is used whole, unless the total is zero.
 */
export function balanceToApply(
  { total, currency }: Invoice,
  { balance = '0' }: InvoiceOpening,
): DecimalString {
  return moneyString(appliedBalance(balance, total), currency);
}

/** The due date of an invoice: `days` of 24 hours after `from`. */
export function dueDateAfter(from: Instant, days: number): Instant {
  return addSeconds(from, days * 86_400);
}

/** Returns the optional fields of recomputed amounts that have a value. */
export function optionalInvoiceAmounts({
  parts,
  readings,
  lateReadings,
  lookBack,
  commitment,
  lateCommitments,
  discounts,
  taxes,
  taxRateIds,
  excess,
}: Omit<RecomputedAmounts, 'lines' | 'total'>): Omit<RecomputedAmounts, 'lines' | 'total'> {
  return {
    ...(parts ? { parts } : {}),
    ...(readings ? { readings } : {}),
    ...(lateReadings ? { lateReadings } : {}),
    ...(lookBack ? { lookBack } : {}),
    ...(commitment ? { commitment } : {}),
    ...(lateCommitments ? { lateCommitments } : {}),
    ...(discounts ? { discounts } : {}),
    ...(taxes ? { taxes } : {}),
    ...(taxRateIds ? { taxRateIds } : {}),
    ...(excess === undefined ? {} : { excess }),
  };
}

/** Returns an invoice without the optional fields that a recomputation replaces. */
export function omitRecomputedOptionalFields<T extends RecomputedAmounts>(
  invoice: T,
): Omit<T, Exclude<keyof RecomputedAmounts, 'lines' | 'total'>> {
  return omit(invoice, [
    'parts',
    'readings',
    'lateReadings',
    'lookBack',
    'commitment',
    'lateCommitments',
    'discounts',
    'taxes',
    'taxRateIds',
    'excess',
  ]);
}

/** Tells whether an amount is zero. */
export function isZeroAmount(amount: DecimalString): boolean {
  return new Decimal(amount).isZero();
}
