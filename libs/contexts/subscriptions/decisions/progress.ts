import { isDeepStrictEqual } from 'node:util';
import { progressiveBill } from '../bill.js';
import type { Bill, SubscriptionEvent } from '../events.js';
import { thresholdsOf, type Subscription } from '../subscription.js';

/** The caller has measured `bill`, and found that its usage has reached the threshold. */
export interface BillProgress {
  type: 'BillProgress';
  subscriptionId: string;
  bill: Bill;
}

/** Nothing, if anything about the subscription has changed since the caller measured: it looks again. */
export function billProgress({ bill }: BillProgress, subscription: Subscription): SubscriptionEvent[] {
  const { subscriptionId, phase } = subscription;
  if (phase !== 'active' || thresholdsOf(subscription) === null) return [];
  if (!isDeepStrictEqual(progressiveBill(subscription, bill.billedAt), bill)) return [];
  return [{ type: 'SubscriptionUsageBilled', data: { subscriptionId, through: bill.periodEnd, bill } }];
}
