import { amountToPay, isZeroAmount, type Invoice } from '#libs/contexts/invoicing';

/** Tells whether the customer still has to pay an invoice: the invoice must be open, with an amount due. */
export function isOwed(invoice: Invoice): boolean {
  return invoice.status === 'open' && !isZeroAmount(amountToPay(invoice));
}
