import { isDeepStrictEqual } from 'node:util';
import { Conflict } from '#libs/kernel/core';
import { usageBill } from '../bill.js';
import type { Bill, SubscriptionEvent } from '../events.js';
import { requireLive, type Subscription } from '../subscription.js';

/** The caller has measured `bill`, and found something to charge on it. */
export interface BillUsage {
  type: 'BillUsage';
  subscriptionId: string;
  bill: Bill;
}

/** Refused if anything was billed since the caller measured: what was measured is what is billed. */
export function billUsage({ bill }: BillUsage, subscription: Subscription): SubscriptionEvent[] {
  requireLive(subscription);
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
