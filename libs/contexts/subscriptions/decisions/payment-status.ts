import type { SubscriptionEvent } from '../events.js';
import type { Subscription } from '../subscription.js';

/**
 * Records whether an invoice of the subscription is `overdue`. An invoice is `overdue` if it is open and its last finished charge failed,
 * or if it was written off and not paid.
 */
export interface RecordPaymentStatus {
  type: 'RecordPaymentStatus';
  subscriptionId: string;
  invoiceId: string;
  overdue: boolean;
}

export function recordPaymentStatus(
  { invoiceId, overdue }: RecordPaymentStatus,
  subscription: Subscription,
): SubscriptionEvent[] {
  const { subscriptionId, customerId, overdueInvoices } = subscription;
  if (overdueInvoices.includes(invoiceId) === overdue) return [];
  const data = { subscriptionId, customerId, invoiceId };
  return [{ type: overdue ? 'SubscriptionPaymentFailed' : 'SubscriptionPaymentSettled', data }];
}
