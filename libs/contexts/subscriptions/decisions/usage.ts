import { isDeepStrictEqual } from 'node:util';
import { Conflict } from '#libs/kernel/core';
import { usageBill } from '../bill.js';
import type { Bill, SubscriptionEvent } from '../events.js';
import { requireNotEnded, type Subscription } from '../subscription.js';

/** Adds a bill of usage within a period. The caller has already measured the usage of `bill`, and found something to charge. */
export interface BillUsage {
  type: 'BillUsage';
  subscriptionId: string;
  bill: Bill;
}

/** Throws Conflict if the subscription was billed after the caller's measurement, so that exactly the measured usage is billed. */
export function billUsage({ bill }: BillUsage, subscription: Subscription): SubscriptionEvent[] {
  requireNotEnded(subscription);
  const { invoiceId, billedAt, charges } = bill;
  const priceIds = charges.map(({ price }) => price.priceId);
  if (
    subscription.phase !== 'active' ||
    !isDeepStrictEqual(usageBill(subscription, billedAt, invoiceId, priceIds), bill)
  )
    throw new Conflict('subscription_changed', 'The subscription was billed at the same moment; try again');
  const { subscriptionId } = subscription;
  return [{ type: 'SubscriptionUsageBilled', data: { subscriptionId, through: billedAt, bill } }];
}
