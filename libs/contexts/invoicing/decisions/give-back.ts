import { moneyString } from '#libs/kernel/core';
import type { InvoiceEvent } from '../events.js';
import { decideGiveBack, giveBackBy, reductionBy, requireNotUsed } from '../give-backs/decide-give-back.js';
import { paymentRefundBy } from '../give-backs/payment-refund.js';
import { amountToPay, type Invoice } from '../invoice.js';
import type { Of } from './command.js';
import { referenceOf, requireNoneInProgress } from './require.js';

/** Records a give-back in any payment state of the invoice, since a give-back itself does not change the amount due. */
export function giveBackLines(
  { at, byInvoiceId, lines, taxes }: Of<'GiveBackLines'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const asked = { byInvoiceId, lines, ...(taxes ? { taxes } : {}) };
  const decision = decideGiveBack(asked, invoice);
  const about = { at, ...referenceOf(invoice) };
  return [
    ...(decision?.returned
      ? [{ type: 'InvoiceGiveBackReturned' as const, data: { ...about, byInvoiceId } }]
      : []),
    ...(decision?.given
      ? [{ type: 'InvoiceLinesGivenBack' as const, data: { ...about, ...decision.given } }]
      : []),
  ];
}

export function returnGiveBack({ at, byInvoiceId }: Of<'ReturnGiveBack'>, invoice: Invoice): InvoiceEvent[] {
  if (!giveBackBy(byInvoiceId, invoice)) return [];
  requireNotUsed(byInvoiceId, invoice);
  return [{ type: 'InvoiceGiveBackReturned', data: { at, ...referenceOf(invoice), byInvoiceId } }];
}

export function applyGiveBack(
  { at, byInvoiceId, amount: most }: Of<'ApplyGiveBack'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const reduction = reductionBy(byInvoiceId, most, invoice);
  if (reduction.isZero()) return [];
  // A charge that is in progress may succeed, and would then have taken too much.
  requireNoneInProgress(invoice);
  const reference = { at, ...referenceOf(invoice) };
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
  { at, byInvoiceId, amount: most }: Of<'RefundPayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = paymentRefundBy(byInvoiceId, most, invoice);
  if (refund.isZero()) return [];
  const amount = moneyString(refund, invoice.currency);
  return [{ type: 'PaymentRefundStarted', data: { at, ...referenceOf(invoice), byInvoiceId, amount } }];
}

export function completePaymentRefund(
  { at, byInvoiceId }: Of<'CompletePaymentRefund'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = invoice.refunds.find((one) => one.byInvoiceId === byInvoiceId);
  if (refund?.status !== 'pending') return [];
  const { amount } = refund;
  return [{ type: 'PaymentRefunded', data: { at, ...referenceOf(invoice), byInvoiceId, amount } }];
}
