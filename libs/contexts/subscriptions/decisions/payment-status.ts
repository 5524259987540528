import type { SubscriptionEvent } from '../events.js';
import type { Subscription } from '../subscription.js';

/** Records whether an invoice of the subscription is `overdue`. An invoice is `overdue` if a charge of it failed and it is still owed. */
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
