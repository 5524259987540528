import { jsonNumber, moneyString, Decimal, type DecimalString, type Instant } from '#libs/kernel/core';
import type { PaymentAttempt, RecordedPayment } from '#libs/contexts/invoicing';
import type { InvoiceDocuments } from '#projections/invoices';
import type { PaymentView } from './payment.dto.js';

/** A charge of a card or a recorded payment, with the fields that all payments have. */
export interface Payment {
  readonly id: string;
  readonly invoiceId: string;
  readonly invoiceNumber: string | null;
  readonly customerId: string;
  readonly method: PaymentView['method'];
  readonly paymentMethod: string | null;
  readonly status: PaymentView['status'];
  readonly currency: string;
  readonly amount: DecimalString;
  readonly balanceCredited: DecimalString;
  readonly createdAt: Instant;
  readonly paidAt: Instant | null;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly reference: string | null;
  readonly reversedAt: Instant | null;
  readonly reversalReason: string | null;
}

/** Returns the payment of an invoice with this id. Returns undefined if the invoice does not have it. */
export function readPayment(id: string, invoice: InvoiceDocuments | undefined): Payment | undefined {
  const attempt = invoice?.attempts.find(({ attemptId }) => attemptId === id);
  if (invoice && attempt) return chargeOf(invoice, attempt);
  const recorded = invoice?.recordedPayments.find(({ paymentId }) => paymentId === id);
  return invoice && recorded && recordedOf(invoice, recorded);
}

/** Converts a payment to its form in the API. */
export function presentPayment({ amount, balanceCredited, ...payment }: Payment): PaymentView {
  return { ...payment, amount: jsonNumber(amount), balanceCredited: jsonNumber(balanceCredited) };
}

function chargeOf(invoice: InvoiceDocuments, attempt: PaymentAttempt): Payment {
  return {
    id: attempt.attemptId,
    invoiceId: invoice.invoiceId,
    invoiceNumber: invoice.number,
    customerId: invoice.customerId,
    method: 'gateway',
    paymentMethod: attempt.method.label,
    status: attempt.status,
    currency: attempt.currency,
    amount: attempt.amount,
    balanceCredited: moneyString(new Decimal(0), attempt.currency),
    createdAt: attempt.startedAt,
    paidAt: attempt.status === 'succeeded' ? attempt.finishedAt : null,
    failureCode: attempt.code,
    failureMessage: attempt.message,
    reference: null,
    reversedAt: null,
    reversalReason: null,
  };
}

function recordedOf(invoice: InvoiceDocuments, payment: RecordedPayment): Payment {
  return {
    id: payment.paymentId,
    invoiceId: invoice.invoiceId,
    invoiceNumber: invoice.number,
    customerId: invoice.customerId,
    method: payment.method,
    paymentMethod: null,
    status: payment.status,
    currency: invoice.currency,
    amount: payment.amount,
    balanceCredited: payment.toBalance,
    createdAt: payment.recordedAt,
    paidAt: payment.status === 'pending' ? null : payment.paidAt,
    failureCode: null,
    failureMessage: null,
    reference: payment.reference,
    reversedAt: payment.reversedAt,
    reversalReason: payment.reversalReason,
  };
}
