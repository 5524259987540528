import { InvalidRequest, StateConflict } from '#libs/kernel/core';
import { notVoidedCreditNotes } from '../credit-notes/credit-note.js';
import type { InvoiceEvent } from '../events.js';
import { amountPaid, amountToPay, isZeroAmount, type Invoice } from '../invoice.js';
import { creditsNotVoidedError } from './credit-note.js';
import { requireNoGiveBacks } from './give-back.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf, requireNoPaymentInProgress } from './payment-guards.js';

export function markUncollectible(
  { at }: InvoiceCommandOf<'MarkUncollectible'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (invoice.status !== 'open')
    throw new StateConflict(
      'invoice_not_open',
      `The invoice is ${invoice.status}; only an open one can be marked uncollectible`,
    );
  requireNoPaymentInProgress(invoice);
  const amount = amountToPay(invoice);
  return [{ type: 'InvoiceMarkedUncollectible', data: { at, ...invoiceReferenceOf(invoice), amount } }];
}

/** Voids an invoice that is not paid. Throws an error while a charge is in progress, because that charge could succeed. */
export function voidInvoice(
  { at, reason }: InvoiceCommandOf<'VoidInvoice'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (invoice.status === 'paid')
    throw new InvalidRequest(
      'invoice_already_paid',
      'The invoice is paid, and a paid invoice cannot be voided',
    );
  if (invoice.status === 'void') throw new InvalidRequest('invoice_void', 'The invoice is void already');
  if (notVoidedCreditNotes(invoice.creditNotes).length > 0)
    throw new StateConflict(
      'invoice_credited',
      'The invoice has credit notes. Void them first with POST /v1/invoices/:id/credit-notes/:creditNoteId/void, or credit the rest of it',
    );
  requireNoGiveBacks(invoice);
  requireNoPaymentInProgress(invoice);
  requireUnpaid(invoice);
  return [
    { type: 'InvoiceVoided', data: { at, ...invoiceReferenceOf(invoice), number: invoice.number, reason } },
  ];
}

/**
 * Throws StateConflict (`invoice_partly_paid`) if money was received for the invoice. Throws StateConflict (`credits_not_voided`) if the
 * invoice was paid before, so that its prepaid credits became usable.
 */
function requireUnpaid(invoice: Invoice): void {
  if (!isZeroAmount(amountPaid(invoice)))
    throw new StateConflict(
      'invoice_partly_paid',
      `Payments of ${amountPaid(invoice)} ${invoice.currency} were made on the invoice. Reverse them first with DELETE ` +
        '/v1/invoices/:id/payments/:paymentId, or credit the rest with a credit note',
    );
  if (invoice.purchasedBlock && invoice.recordedPayments?.some(({ reopened }) => reopened))
    throw creditsNotVoidedError(invoice.purchasedBlock);
}
