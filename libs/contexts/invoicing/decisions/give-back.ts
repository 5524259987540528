import { moneyString } from '#libs/kernel/core';
import type { InvoiceEvent } from '../events.js';
import {
  decideGiveBack,
  recordedGiveBack,
  reductionAmount,
  requireGiveBackUnused,
} from '../give-backs/decide-give-back.js';
import { refundableExcess } from '../give-backs/refundable-excess.js';
import { amountToPay, type Invoice } from '../invoice.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf, requireNoPaymentInProgress } from './payment-guards.js';

/** Records a give-back, whether the invoice is paid or not, because a give-back itself does not change the amount due. */
export function giveBackLines(
  { at, byInvoiceId, lines, taxes }: InvoiceCommandOf<'GiveBackLines'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const asked = { byInvoiceId, lines, ...(taxes ? { taxes } : {}) };
  const decision = decideGiveBack(asked, invoice);
  const about = { at, ...invoiceReferenceOf(invoice) };
  return [
    ...(decision?.returned
      ? [{ type: 'InvoiceGiveBackReturned' as const, data: { ...about, byInvoiceId } }]
      : []),
    ...(decision?.given
      ? [{ type: 'InvoiceLinesGivenBack' as const, data: { ...about, ...decision.given } }]
      : []),
  ];
}

export function returnGiveBack(
  { at, byInvoiceId }: InvoiceCommandOf<'ReturnGiveBack'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (!recordedGiveBack(byInvoiceId, invoice)) return [];
  requireGiveBackUnused(byInvoiceId, invoice);
  return [{ type: 'InvoiceGiveBackReturned', data: { at, ...invoiceReferenceOf(invoice), byInvoiceId } }];
}

export function applyGiveBack(
  { at, byInvoiceId, amount: most }: InvoiceCommandOf<'ApplyGiveBack'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const reduction = reductionAmount(byInvoiceId, most, invoice);
  if (reduction.isZero()) return [];
  // A charge that is in progress could succeed with the old, larger amount.
  requireNoPaymentInProgress(invoice);
  const reference = { at, ...invoiceReferenceOf(invoice) };
  const amount = moneyString(reduction, invoice.currency);
  const events: InvoiceEvent[] = [
    {
      type: 'InvoiceReduced',
      data: {
        ...{ ...reference, byInvoiceId, amount },
        ...(invoice.status === 'uncollectible' ? { writtenOff: true as const } : {}),
      },
    },
  ];
  if (reduction.eq(amountToPay(invoice)))
    events.push({ type: 'InvoicePaid', data: { ...reference, attemptId: null } });
  return events;
}

export function refundPayment(
  { at, byInvoiceId, amount: most }: InvoiceCommandOf<'RefundPayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = refundableExcess(byInvoiceId, most, invoice);
  if (refund.isZero()) return [];
  const amount = moneyString(refund, invoice.currency);
  return [
    { type: 'PaymentRefundStarted', data: { at, ...invoiceReferenceOf(invoice), byInvoiceId, amount } },
  ];
}

export function completePaymentRefund(
  { at, byInvoiceId }: InvoiceCommandOf<'CompletePaymentRefund'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = invoice.refunds.find((one) => one.byInvoiceId === byInvoiceId);
  if (refund?.status !== 'pending') return [];
  const { amount } = refund;
  return [{ type: 'PaymentRefunded', data: { at, ...invoiceReferenceOf(invoice), byInvoiceId, amount } }];
}
