import { isDeepStrictEqual } from 'node:util';
import { progressiveBill } from '../bill.js';
import type { Bill, SubscriptionEvent } from '../events.js';
import { billingThresholdsOf, type Subscription } from '../subscription.js';

/**
 * Adds a progressive bill, which is a bill within a period. The caller has already measured the usage of `bill`, and found that it reaches
 * a billing threshold.
 */
export interface AddProgressiveBill {
  type: 'BillProgress';
  subscriptionId: string;
  bill: Bill;
}

/** Returns no event if the subscription has changed since the caller measured the usage. The caller then measures again. */
export function addProgressiveBill(
  { bill }: AddProgressiveBill,
  subscription: Subscription,
): SubscriptionEvent[] {
  const { subscriptionId, phase } = subscription;
  if (phase !== 'active' || billingThresholdsOf(subscription) === null) return [];
  if (!isDeepStrictEqual(progressiveBill(subscription, bill.billedAt), bill)) return [];
  return [{ type: 'SubscriptionUsageBilled', data: { subscriptionId, through: bill.periodEnd, bill } }];
}
