import type { SubscriptionEvent } from '../events.js';
import { isOnInvoice } from '../prepaid.js';
import type { Subscription } from '../subscription.js';

/** Records that an invoice of the subscription was voided. */
export interface RecordInvoiceVoid {
  type: 'RecordInvoiceVoid';
  subscriptionId: string;
  invoiceId: string;
}

/** Records that an invoice was voided, but only if it charged or gave back a prepaid fee for future time. Other voids change nothing. */
export function recordInvoiceVoid(
  { invoiceId }: RecordInvoiceVoid,
  subscription: Subscription,
): SubscriptionEvent[] {
  const { subscriptionId, customerId, prepaid } = subscription;
  if (!prepaid.some((fee) => isOnInvoice(fee, invoiceId))) return [];
  return [{ type: 'SubscriptionInvoiceVoided', data: { subscriptionId, customerId, invoiceId } }];
}
