import type { SubscriptionEvent } from '../events.js';
import type { Subscription } from '../subscription.js';

/** What has become of an invoice of the subscription: whether it is owed though a charge of it failed. */
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
