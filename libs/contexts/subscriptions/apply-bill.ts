import { laterOf, type Instant } from '#libs/kernel/core';
import type { Bill, SubscriptionItem } from './events.js';
import { prepaidFeesAfterBill } from './prepaid.js';
import type { Subscription } from './subscription.js';

/** Updates a subscription with a bill: its items, its prepaid fees, its newest bill and its number of bills. */
export function applyBill(subscription: Subscription, bill: Bill | null): Subscription {
  if (bill === null) return subscription;
  const items = bill.kind === 'progressive' ? invoicedBy(subscription, bill) : chargedBy(subscription, bill);
  const prepaid = prepaidFeesAfterBill(subscription.prepaid, bill);
  const billCount = subscription.billCount + 1;
  return { ...subscription, items, prepaid, lastBill: bill, billCount };
}

/**
 * Moves the `since` of each item to the end of the time that the bill charges. Give-backs (`refund`) and one-time prices do not move
 * `since`.
 */
function chargedBy({ items }: Subscription, bill: Bill): SubscriptionItem[] {
  const through = new Map<string, Instant>();
  for (const { price, service, refund } of bill.charges) {
    if (refund || price.cadence === 'one_time') continue;
    through.set(price.priceId, laterOf(service.end, through.get(price.priceId) ?? service.end));
  }
  return items.map((item) => markChargedUntil(item, through.get(item.price.priceId)));
}

/** Returns the item after it is charged up to `end`. If `end` is undefined, the item was not charged and is returned unchanged. */
export function markChargedUntil(item: SubscriptionItem, end: Instant | undefined): SubscriptionItem {
  if (end === undefined || end < item.since) return item;
  const { invoicedBy: _, waitsFor, ...left } = item;
  // An item that begins where an earlier version of its price was charged to waits for the end of that time.
  return end === item.since && waitsFor ? { ...left, since: end, waitsFor } : { ...left, since: end };
}

/**
 * Records a progressive invoice on each item that it charged. The items keep their `since`. A later invoice charges the whole period, and
 * deducts the amounts of this progressive invoice.
 */
function invoicedBy({ items }: Subscription, { invoiceId, charges }: Bill): SubscriptionItem[] {
  const charged = new Set(charges.map(({ price }) => price.priceId));
  return items.map((item) =>
    charged.has(item.price.priceId) ? { ...item, invoicedBy: [...(item.invoicedBy ?? []), invoiceId] } : item,
  );
}
