import type { Bill, SubscriptionItem } from './events.js';
import { prepaidBy, withoutGivenBack } from './prepaid.js';
import type { Subscription } from './subscription.js';

/** What a bill charges in arrears is not charged again; what it charges in advance can be given back. */
export function billed(subscription: Subscription, bill: Bill | null): Subscription {
  if (bill === null) return subscription;
  const items = bill.kind === 'progressive' ? invoicedBy(subscription, bill) : chargedBy(subscription, bill);
  const prepaid = [
    ...withoutGivenBack(subscription.prepaid, bill).filter(({ service }) => service.end > bill.billedAt),
    ...prepaidBy(bill),
  ];
  const refunded = bill.charges.flatMap(({ refund }) => refund?.invoiceId ?? []);
  const givenBack = [...new Set([...subscription.givenBack, ...refunded])];
  const billCount = subscription.billCount + 1;
  return { ...subscription, items, prepaid, givenBack, lastBill: bill, billCount };
}

/** What is charged to its end begins anew from there. */
function chargedBy({ items }: Subscription, bill: Bill): SubscriptionItem[] {
  const through = new Map(
    bill.charges
      .filter(({ price }) => price.timing === 'in_arrears' && price.cadence !== 'one_time')
      .map(({ price, service }) => [price.priceId, service.end]),
  );
  return items.map((item) => {
    const end = through.get(item.price.priceId);
    if (end === undefined || end < item.since) return item;
    const { invoicedBy: _, ...left } = item;
    return { ...left, since: end };
  });
}

/** What is charged within a period goes on, and is to be left out of what is charged at its end. */
function invoicedBy({ items }: Subscription, { invoiceId, charges }: Bill): SubscriptionItem[] {
  const charged = new Set(charges.map(({ price }) => price.priceId));
  return items.map((item) =>
    charged.has(item.price.priceId) ? { ...item, invoicedBy: [...(item.invoicedBy ?? []), invoiceId] } : item,
  );
}
