import {
  Conflict,
  dayIn,
  Decimal,
  InvalidRequest,
  StateConflict,
  moneyString,
  NotFound,
  requireWholeMinorUnits,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { timezoneOfDates } from '#libs/rating';
import type { InvoiceEvent } from '../events.js';
import { amountToPay, type Invoice } from '../invoice.js';
import type { RecordedPayment } from '../recorded-payments/recorded-payment.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf, requireNoPaymentInProgress, requirePayable } from './payment-guards.js';

/**
 * Records a payment that was made outside the payment gateway. The part of the payment above the amount due goes to the customer's balance.
 * Throws StateConflict (`invoice_not_open`, `invoice_already_paid`, `invoice_void`) if the invoice is a draft, paid or void. Throws
 * StateConflict (`payment_in_progress`) while a charge is in progress, because the charge could succeed and too much would be paid. Throws
 * InvalidRequest (`validation_failed`) if the amount has too many decimals. Throws InvalidRequest (`validation_failed`) also if the time of
 * the payment is in the future or before the day on which the invoice was opened.
 */
export function recordPayment(
  { at, paymentId, amount, method, paidAt, reference }: InvoiceCommandOf<'RecordPayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (findRecordedPayment(paymentId, invoice)) return [];
  requireOpened(invoice);
  requirePayable(invoice);
  requireWholeMinorUnits('amount', amount, invoice.currency);
  requirePossibleTime(paidAt, at, invoice);
  const due = new Decimal(amountToPay(invoice));
  const excess = new Decimal(amount).minus(due);
  const payment = {
    paymentId,
    amount: moneyString(new Decimal(amount), invoice.currency),
    method,
    paidAt,
    ...(excess.gt(0) ? { toBalance: moneyString(excess, invoice.currency) } : {}),
    ...(reference === null ? {} : { reference }),
  };
  return recordingEvents(at, payment, invoice);
}

/**
 * Starts a payment from the customer's balance. Throws InvalidRequest as {@link recordPayment} does, and if the amount exceeds the amount
 * due. Throws Conflict (`balance_too_low`) if the balance is zero or less than the amount.
 */
export function startBalancePayment(
  { at, paymentId, amount: asked, available }: InvoiceCommandOf<'StartBalancePayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (findRecordedPayment(paymentId, invoice)) return [];
  requireOpened(invoice);
  requirePayable(invoice);
  const { currency } = invoice;
  if (asked !== null) requireWholeMinorUnits('amount', asked, currency);
  const due = amountToPay(invoice);
  if (asked !== null && new Decimal(asked).gt(due))
    throw InvalidRequest.field('amount', `must be at most the amount due, ${due} ${currency}`);
  const amount = new Decimal(asked ?? Decimal.min(due, available));
  if (amount.lte(0) || amount.gt(available)) throw balanceTooLow(available, invoice);
  const data = { at, ...invoiceReferenceOf(invoice), paymentId, amount: moneyString(amount, currency) };
  return [{ type: 'BalancePaymentStarted', data }];
}

/**
 * Starts to carry the amount due to the next invoice. The balance pays this amount, also if it has less. Throws StateConflict
 * (`invoice_not_open`) if the invoice is a draft or was written off, and InvalidRequest as {@link recordPayment} does. Throws StateConflict
 * (`amount_changed`) if another amount is due than the one that was found too small.
 */
export function carryForward(
  { at, paymentId, amount }: InvoiceCommandOf<'CarryForward'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (findRecordedPayment(paymentId, invoice)) return [];
  requirePayable(invoice);
  if (invoice.status !== 'open')
    throw new StateConflict(
      'invoice_not_open',
      `The invoice is ${invoice.status}; only an open one can be carried to the next invoice`,
    );
  const due = amountToPay(invoice);
  if (due !== amount)
    throw new StateConflict(
      'amount_changed',
      `The amount due is ${due} ${invoice.currency} now, and not ${amount}; only the amount that was too small is carried`,
    );
  const data = { at, ...invoiceReferenceOf(invoice), paymentId, amount };
  return [{ type: 'BalancePaymentStarted', data: { ...data, carried: true } }];
}

/**
 * Records whether the balance paid the amount. The process that started the payment and the saga can both report the result. Only the first
 * report of a result is recorded.
 */
export function completeBalancePayment(
  { at, paymentId, succeeded }: InvoiceCommandOf<'CompleteBalancePayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const payment = findRecordedPayment(paymentId, invoice);
  if (payment?.status !== 'pending') return [];
  const { amount, method, carried, recordedAt: paidAt } = payment;
  if (!succeeded)
    return [
      { type: 'BalancePaymentFailed', data: { at, ...invoiceReferenceOf(invoice), paymentId, amount } },
    ];
  const recorded = { paymentId, amount, method, paidAt, ...(carried ? { carried } : {}) };
  return recordingEvents(at, recorded, invoice);
}

/**
 * Reverses a recorded payment, such as a cheque that bounced. A paid invoice is owed again after the reversal of its payment. After the
 * reversal, the invoice is open, or written off if it was written off before. Throws NotFound if the recorded payment is unknown. Throws
 * StateConflict (`payment_in_progress`) while another payment of the invoice is in progress. With `mustBeFirst`, throws StateConflict
 * (`payment_reversed`) if the payment is reversed already.
 */
export function reversePayment(
  { at, paymentId, reason, mustBeFirst }: InvoiceCommandOf<'ReversePayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const { status, amount, toBalance, method } = requireRecordedPayment(paymentId, invoice);
  if (status === 'reversed' && !mustBeFirst) return [];
  if (status === 'reversed') throw new StateConflict('payment_reversed', 'The payment is reversed already');
  requireNoPaymentInProgress(invoice);
  const data = {
    at,
    ...invoiceReferenceOf(invoice),
    paymentId,
    amount,
    ...(new Decimal(toBalance).isZero() ? {} : { toBalance }),
    method,
    reason,
    ...(invoice.status === 'paid' ? { reopens: true as const } : {}),
    ...(invoice.writtenOff ? { writtenOff: true as const } : {}),
  };
  return [{ type: 'RecordedPaymentReversed', data }];
}

/** Returns the recorded payment. Throws NotFound if the invoice has no payment with this id, or if the balance refused the payment. */
export function requireRecordedPayment(paymentId: string, invoice: Invoice): RecordedPayment {
  const payment = findRecordedPayment(paymentId, invoice);
  if (!payment || payment.status === 'failed') throw NotFound.of('payment', paymentId);
  return payment;
}

/** Returns the recorded payment; undefined if the invoice has no recorded payment with this id. */
export function findRecordedPayment(
  paymentId: string,
  { recordedPayments = [] }: Invoice,
): RecordedPayment | undefined {
  return recordedPayments.find((payment) => payment.paymentId === paymentId);
}

/** The events that record a payment. If the payment covers the amount due, the invoice is paid. */
function recordingEvents(
  at: Instant,
  payment: Pick<
    Extract<InvoiceEvent, { type: 'PaymentRecorded' }>['data'],
    'paymentId' | 'amount' | 'method' | 'paidAt' | 'toBalance' | 'reference' | 'carried'
  >,
  invoice: Invoice,
): InvoiceEvent[] {
  const reference = invoiceReferenceOf(invoice);
  const { writtenOff } = invoice;
  const data = { at, ...reference, ...payment, ...(writtenOff ? { writtenOff } : {}) };
  const events: InvoiceEvent[] = [{ type: 'PaymentRecorded', data }];
  if (new Decimal(payment.amount).gte(amountToPay(invoice)))
    events.push({ type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
  return events;
}

/** Refuses a draft invoice, because nothing is owed yet and its amount can change. */
function requireOpened({ status }: Invoice): void {
  if (status === 'draft')
    throw new StateConflict(
      'invoice_not_open',
      'The invoice is a draft; approve it first with POST /v1/invoices/:id/approve',
    );
}

/**
 * Refuses a time in the future, and a time before the day on which the invoice was opened. Banks report only the day of a transfer, so
 * every time of the opening day is accepted.
 */
function requirePossibleTime(paidAt: Instant, at: Instant, invoice: Invoice): void {
  if (paidAt > at)
    throw InvalidRequest.field('paidAt', `must not be in the future; the workspace's clock says ${at}`);
  const { issuedAt } = invoice;
  const timezone = timezoneOfDates(invoice);
  if (issuedAt !== null && dayIn(timezone, paidAt) < dayIn(timezone, issuedAt))
    throw InvalidRequest.field(
      'paidAt',
      `must not be before ${dayIn(timezone, issuedAt)}, the day on which the invoice was opened. Give money that came earlier to the ` +
        'balance with POST /v1/customers/:id/balance, and pay the invoice from it',
    );
}

function balanceTooLow(available: DecimalString, { customerId, currency }: Invoice): Conflict {
  return new Conflict(
    'balance_too_low',
    `The balance of customer "${customerId}" holds ${available} ${currency}; pay at most this amount from it`,
  );
}
