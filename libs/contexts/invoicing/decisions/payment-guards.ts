import { InvalidRequest, StateConflict } from '#libs/kernel/core';
import type { InvoiceReference } from '../events.js';
import { isBeingPaid, type Invoice } from '../invoice.js';

/** Refuses an invoice that is paid or void, or that has a payment in progress. */
export function requirePayable(invoice: Invoice): void {
  if (invoice.status === 'paid')
    throw new InvalidRequest('invoice_already_paid', 'The invoice is paid already');
  if (invoice.status === 'void')
    throw new InvalidRequest('invoice_void', 'The invoice is void and cannot be paid');
  requireNoPaymentInProgress(invoice);
}

/** Throws an error while a payment is in progress, because that payment could succeed. */
export function requireNoPaymentInProgress(invoice: Invoice): void {
  if (isBeingPaid(invoice))
    throw new StateConflict(
      'payment_in_progress',
      'A payment of this invoice is under way; look at its payment attempts and payments, and try again when it has ended',
    );
}

/** The invoice fields that every invoice event contains. */
export function invoiceReferenceOf({
  invoiceId,
  customerId,
  currency,
  total,
  purchasedBlock,
}: Invoice): InvoiceReference {
  return { invoiceId, customerId, currency, total, ...(purchasedBlock ? { purchasedBlock } : {}) };
}
