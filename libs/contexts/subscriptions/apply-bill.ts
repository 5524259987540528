import { laterOf, type Instant } from '#libs/kernel/core';
import type { Bill, SubscriptionItem } from './events.js';
import { prepaidAfter } from './prepaid.js';
import type { Subscription } from './subscription.js';

/** What a bill charges is not charged again; what it charges in advance can be given back. */
export function applyBill(subscription: Subscription, bill: Bill | null): Subscription {
  if (bill === null) return subscription;
  const items = bill.kind === 'progressive' ? invoicedBy(subscription, bill) : chargedBy(subscription, bill);
  const prepaid = prepaidAfter(subscription.prepaid, bill);
  const billCount = subscription.billCount + 1;
  return { ...subscription, items, prepaid, lastBill: bill, billCount };
}

/** What is charged to its end begins anew from there. */
function chargedBy({ items }: Subscription, bill: Bill): SubscriptionItem[] {
  const through = new Map<string, Instant>();
  for (const { price, service, refund } of bill.charges) {
    if (refund || price.cadence === 'one_time') continue;
    through.set(price.priceId, laterOf(service.end, through.get(price.priceId) ?? service.end));
  }
  return items.map((item) => chargedThrough(item, through.get(item.price.priceId)));
}

/** The item as it is once it is charged up to `end`; undefined: nothing of it is. */
export function chargedThrough(item: SubscriptionItem, end: Instant | undefined): SubscriptionItem {
  if (end === undefined || end < item.since) return item;
  const { invoicedBy: _, waitsFor: __, ...left } = item;
  return { ...left, since: end };
}

/** What is charged within a period goes on, and is to be left out of what is charged at its end. */
function invoicedBy({ items }: Subscription, { invoiceId, charges }: Bill): SubscriptionItem[] {
  const charged = new Set(charges.map(({ price }) => price.priceId));
  return items.map((item) =>
    charged.has(item.price.priceId) ? { ...item, invoicedBy: [...(item.invoicedBy ?? []), invoiceId] } : item,
  );
}
