import { customFieldsOrNone } from '#libs/contexts/customers';
import {
  addSeconds,
  jsonNumber,
  jsonNumbers,
  moneyString,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import {
  presentTier,
  type CommitmentDetails,
  type GivenBackLine,
  type InvoicedUsageDeduction,
  type InvoiceLine,
  type LateUsageDetails,
  type UnusedFeeDetails,
} from '#libs/rating';
import { notVoidedCreditNotes } from './credit-notes/credit-note.js';
import { totalReductionByGiveBacks } from './give-backs/give-back.js';
import {
  amountPaid,
  amountToPay,
  type Invoice,
  type PaymentAttempt,
  type RefundWithoutDocument,
} from './invoice.js';
import { subscriptionIdsOf } from './invoice-parts.js';
import { endOfRetries, plannedRetryAt } from './payment-retries.js';
import { shownRecordedPayments, type ShownRecordedPayment } from './recorded-payments/recorded-payment.js';
import { presentCreditsUsed, presentDiscounts, presentTax } from './present-terms.js';

/** Converts an invoice to its form in the API. Amounts are exact JSON numbers in the invoice's currency. */
export function presentInvoice(invoice: Invoice) {
  const subtotal = moneyString(sumOf(invoice.lines.map(({ amount }) => amount)), invoice.currency);
  const nothing = moneyString(sumOf([]), invoice.currency);
  const isOwed = invoice.status !== 'paid' && invoice.status !== 'void';
  return {
    id: invoice.invoiceId,
    number: invoice.number,
    customerId: invoice.customerId,
    subscriptionId: invoice.subscriptionId,
    subscriptionIds: subscriptionIdsOf(invoice),
    kind: invoice.kind,
    memo: invoice.memo ?? null,
    poNumber: invoice.poNumber ?? null,
    customFields: customFieldsOrNone(invoice.customFields),
    status: invoice.status,
    currency: invoice.currency,
    subtotal: jsonNumber(subtotal),
    discounts: presentDiscounts(invoice.discounts ?? []),
    taxes: (invoice.taxes ?? []).map(presentTax),
    taxExemptReason: invoice.taxExemption ?? null,
    total: jsonNumber(invoice.total),
    balanceApplied: jsonNumber(invoice.balanceApplied),
    balanceCredited: jsonNumber(invoice.excess ?? nothing),
    amountDue: jsonNumber(isOwed ? amountToPay(invoice) : nothing),
    amountPaid: jsonNumber(amountPaid(invoice)),
    payments: presentRecordedPayments(invoice),
    excessTo: invoice.excessTo === 'refund' ? ('refund' as const) : ('balance' as const),
    amountReduced: jsonNumber(moneyString(totalReductionByGiveBacks(invoice.reductions), invoice.currency)),
    refunds: invoice.refunds.map(({ byInvoiceId, amount, status, refusal = null, covered = nothing }) => ({
      byInvoiceId,
      amount: jsonNumber(amount),
      status,
      refusal,
      refundedAtProcessor: jsonNumber(covered),
    })),
    disputes: (invoice.disputes ?? []).map((dispute) => ({
      id: dispute.disputeId,
      attemptId: dispute.attemptId,
      reason: dispute.reason,
      status: dispute.status,
      openedAt: dispute.openedAt,
      closedAt: dispute.closedAt,
      amount: jsonNumber(dispute.amount),
      ...presentExcess(dispute, nothing),
    })),
    gatewayRefunds: (invoice.gatewayRefunds ?? []).map((refund) => ({
      id: refund.refundId,
      attemptId: refund.attemptId,
      amount: jsonNumber(refund.amount),
      status: refund.failure === undefined ? ('succeeded' as const) : ('failed' as const),
      failure: refund.failure ?? null,
      ...presentExcess(refund.failure === undefined ? refund : {}, nothing),
    })),
    amountCredited: jsonNumber(
      moneyString(
        sumOf(notVoidedCreditNotes(invoice.creditNotes).map((note) => note.total)),
        invoice.currency,
      ),
    ),
    lines: invoice.lines.map((line) => presentInvoiceLine(line, invoice.subscriptionId)),
    creditsUsed: (invoice.creditsUsed ?? []).map(presentCreditsUsed),
    periodStart: invoice.periodStart,
    periodEnd: invoice.periodEnd,
    createdAt: invoice.createdAt,
    opensAt: opensAt(invoice),
    issuedAt: invoice.issuedAt,
    dueDate: invoice.dueDate,
    paymentRetries: presentRetries(invoice),
    paidAt: invoice.paidAt,
    voidedAt: invoice.voidedAt,
    voidReason: invoice.voidReason,
  };
}

/** The part of money that went back at the payment processor that was given back before, and what was taken off the balance of it. */
function presentExcess(
  { excess, takenBack }: Pick<RefundWithoutDocument, 'excess' | 'takenBack'>,
  nothing: DecimalString,
) {
  return { alreadyGivenBack: jsonNumber(excess ?? nothing), takenBack: jsonNumber(takenBack ?? nothing) };
}

/** The time at which a draft opens by itself. Null if a user has to approve it, and for an invoice that is no draft. */
function opensAt({ status, createdAt, settings }: Invoice): Instant | null {
  const { autoApprove, gracePeriodHours } = settings;
  return status === 'draft' && autoApprove ? addSeconds(createdAt, gracePeriodHours * 3_600) : null;
}

/**
 * Converts a line of an invoice or a preview to its form in the API. `ofAll` is the subscription id of each line that has no subscription
 * id of its own.
 */
export function presentInvoiceLine(line: InvoiceLine, ofAll: string | null) {
  const {
    quantity,
    unitPrice,
    tiers,
    amount,
    amountBeforeMinimum,
    amountBeforeMaximum,
    discount,
    discountedBy,
    ...others
  } = line;
  const { nameTranslations: _, late, commitment, invoiced, unused, givesBack, ...rest } = others;
  return {
    ...rest,
    subscriptionId: line.subscriptionId ?? ofAll,
    quantity: jsonNumber(quantity),
    ...jsonNumbers({ unitPrice }),
    ...(tiers === undefined ? {} : { tiers: tiers.map(presentTier) }),
    amount: jsonNumber(amount),
    ...jsonNumbers({ amountBeforeMinimum, amountBeforeMaximum, discount }),
    ...(discountedBy === undefined ? {} : { discountedBy: discountedBy.map(presentPart) }),
    ...(late === undefined ? {} : { late: presentLate(late) }),
    ...(commitment === undefined ? {} : { commitment: presentCommitment(commitment) }),
    ...(invoiced === undefined ? {} : { invoiced: presentInvoiced(invoiced) }),
    ...(unused === undefined ? {} : { unused: presentUnused(unused) }),
    ...(givesBack === undefined ? {} : { givesBack: givesBack.map(presentGivenBackLine) }),
  };
}

/** The field `couponId` of events contains the id of the redemption, not the id of the coupon. */
function presentPart({ couponId, amount }: { couponId: string; amount: DecimalString }) {
  return { redemptionId: couponId, amount: jsonNumber(amount) };
}

function presentGivenBackLine({ invoiceId, lineId, amount }: GivenBackLine) {
  return { invoiceId, lineId, amount: jsonNumber(amount) };
}

function presentCommitment({ parts, due, counted, countedBefore, ...rest }: CommitmentDetails) {
  return {
    ...rest,
    parts: parts.map(({ minimum, planNameTranslations: _, ...part }) => ({
      ...part,
      minimum: jsonNumber(minimum),
    })),
    ...jsonNumbers({ due, counted, countedBefore }),
  };
}

function presentInvoiced({ invoiceIds, billed, counted, atMost }: InvoicedUsageDeduction) {
  return { invoiceIds: [...invoiceIds], ...jsonNumbers({ billed, counted, atMost }) };
}

function presentUnused({ net, left, discount, ...rest }: UnusedFeeDetails) {
  return { ...rest, ...jsonNumbers({ net, left, discount }) };
}

function presentLate({ billed, counted, quantities, ...rest }: LateUsageDetails) {
  return {
    ...rest,
    ...jsonNumbers({ billed, counted }),
    quantities: quantities.map((one) => ({
      ...(one.group === undefined ? {} : { group: one.group }),
      ...(one.dimensions === undefined ? {} : { dimensions: one.dimensions }),
      ...jsonNumbers({ billed: one.billed, counted: one.counted }),
    })),
  };
}

/** The retries of an invoice; null if the invoice never had a retry plan. An invoice that is not open has no planned retry. */
function presentRetries({ status, retries }: Invoice) {
  if (!retries) return null;
  const plan = status === 'open' ? retries.plan : null;
  const end = endOfRetries(retries.plan);
  return {
    made: retries.made,
    nextAttemptAt: plannedRetryAt(plan),
    ended: end?.ended ?? null,
    givesUpAt: plan && end ? end.givesUpAt : null,
    gaveUp: retries.gaveUp,
  };
}

/** Converts a payment attempt to its form in the API. */
export function presentPaymentAttempt(attempt: PaymentAttempt) {
  return {
    id: attempt.attemptId,
    attempt: attempt.attempt,
    retry: attempt.retry ?? null,
    status: attempt.status,
    amount: jsonNumber(attempt.amount),
    currency: attempt.currency,
    paymentMethodId: attempt.method.paymentMethodId,
    paymentMethod: attempt.method.label,
    failureCode: attempt.code,
    failureMessage: attempt.message,
    createdAt: attempt.startedAt,
    finishedAt: attempt.finishedAt,
  };
}

/**
 * Converts the recorded payments of an invoice to their form in the API. Payments that the customer's balance could not cover are left out.
 */
export function presentRecordedPayments({ recordedPayments }: Invoice) {
  return shownRecordedPayments(recordedPayments).map(presentRecordedPayment);
}

/** Converts a recorded payment to its form in the API. */
export function presentRecordedPayment(payment: ShownRecordedPayment) {
  return {
    id: payment.paymentId,
    status: payment.status,
    method: payment.method,
    amount: jsonNumber(payment.amount),
    carriedForward: payment.carried ?? false,
    balanceCredited: jsonNumber(payment.toBalance),
    paidAt: payment.paidAt,
    reference: payment.reference,
    createdAt: payment.recordedAt,
    reversedAt: payment.reversedAt,
    reversalReason: payment.reversalReason,
  };
}
