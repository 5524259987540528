import type { LicenseChange, LicenseCounts } from '#libs/contexts/licenses';
import { laterOf, type Instant } from '#libs/kernel/core';
import { isFeeInAdvance } from '#libs/rating';
import type { SubscriptionEvent, SubscriptionItem } from '../events.js';
import { nextDueChange } from '../next-due.js';
import { itemsWithSeats } from '../seats.js';
import type { Subscription } from '../subscription.js';
import { billChange } from './amend.js';
import { termsWithItems } from './amended-terms.js';

/** Counts changes of the customer's licenses as seats. Changes that were already counted are ignored. */
export interface CountLicenses {
  type: 'CountLicenses';
  subscriptionId: string;
  /** The changes in their order. The first change in the list directly follows the last change that was counted. */
  changes: readonly LicenseChange[];
}

/**
 * Counts each change of licenses at its own instant and in order, even if the command is late. The function stops at the next due change of
 * the subscription, because it may begin a new period. The function also stops after the first change that is billed, so that each bill is
 * in a separate event. The caller repeats the command until it changes nothing.
 */
export function countLicenses({ changes }: CountLicenses, subscription: Subscription): SubscriptionEvent[] {
  if (subscription.phase === 'canceled') return [];
  const due = nextDueChange(subscription)?.at;
  let licenses: LicenseCounts = subscription.licenses ?? { changes: 0, active: {} };
  let last: LicenseChange | undefined;
  for (const change of changes) {
    if (change.number <= licenses.changes) continue;
    if (due !== undefined && due <= change.at) break;
    const { number, licenseTypeId, active } = change;
    licenses = { changes: number, active: { ...licenses.active, [licenseTypeId]: active } };
    last = change;
    if (subscription.phase === 'active' && needsSeats({ ...subscription, licenses }, change.at)) break;
  }
  return last === undefined ? [] : [counted({ ...subscription, licenses }, last.at)];
}

function counted(subscription: Subscription, changedAt: Instant): SubscriptionEvent {
  const { subscriptionId, customerId, phase } = subscription;
  const licenses = subscription.licenses!;
  const items = itemsWithSeats(subscription, changedAt);
  const about = { subscriptionId, customerId, licenses };
  if (phase !== 'active' || !needsSeats(subscription, changedAt))
    return { type: 'SubscriptionLicensesCounted', data: { ...about, at: changedAt, items, bill: null } };
  const at = laterOf(changedAt, billedSince(subscription, items));
  const effect = { at, prorate: true };
  const billed = billChange(subscription, termsWithItems(subscription, items, effect), effect);
  return { type: 'SubscriptionLicensesCounted', data: { ...about, at, ...billed } };
}

/** Tells whether the customer has more active licenses than the subscription has seats. */
function needsSeats(subscription: Subscription, at: Instant): boolean {
  return itemsWithSeats(subscription, at).some((item, i) => item !== subscription.items[i]);
}

/**
 * Returns the instant from which the present terms of the changed items are billed. A change of licenses that happened before this instant,
 * but is counted only now, takes effect at this instant.
 */
function billedSince({ items, period, prepaid }: Subscription, after: readonly SubscriptionItem[]): Instant {
  const changed = items.filter((item, i) => item !== after[i]);
  const isPaid = ({ price }: { price: { priceId: string } }) =>
    changed.some((item) => item.price.priceId === price.priceId);
  const starts = [
    ...changed.filter(({ price }) => !isFeeInAdvance(price)).map(({ since }) => since),
    ...prepaid
      .filter((fee) => isPaid(fee) && fee.givenBackOn === undefined && fee.service.start < period.end)
      .map(({ service }) => service.start),
  ];
  return starts.reduce((latest, start) => laterOf(latest, start), period.start);
}
