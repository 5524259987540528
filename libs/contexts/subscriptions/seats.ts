import type { LicenseCounts } from '#libs/contexts/licenses';
import {
  Decimal,
  decimalString,
  InvalidRequest,
  ownValue,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { isRecurring, periodContaining, type PriceSnapshot } from '#libs/rating';
import type { SubscriptionItem, TermsChange } from './events.js';
import type { Quantities } from './quantities.js';
import type { Subscription } from './subscription.js';

/** The data of a subscription on which its seats depend. */
type Seated = Pick<Subscription, 'licenses' | 'phase' | 'period' | 'anchor' | 'timezone'>;

/** Tells whether one of the prices has a license type, so that its seats are the active licenses of this type. */
export function hasLicensePrice(prices: readonly Pick<PriceSnapshot, 'licenseTypeId'>[]): boolean {
  return prices.some(({ licenseTypeId }) => licenseTypeId !== undefined);
}

/**
 * Tells whether a subscription must count the customer's licenses. A subscription counts licenses if it has a price for licenses, or if a
 * scheduled change will add such a price. `prices` contains further prices that the subscription is about to get.
 */
export function mustCountLicenses(
  { phase, items, amendments }: Pick<Subscription, 'phase' | 'items' | 'amendments'>,
  prices: readonly PriceSnapshot[] = [],
): boolean {
  if (phase === 'canceled') return false;
  const scheduled = amendments.filter(({ status }) => status === 'scheduled');
  return hasLicensePrice([
    ...items.map(({ price }) => price),
    ...scheduled.flatMap(({ change }) => pricesInChange(change)),
    ...prices,
  ]);
}

/** Returns the prices in a change of terms: the prices of its new plan, and the prices that it adds. */
export function pricesInChange({ plan, addPrices }: TermsChange): readonly PriceSnapshot[] {
  return [...(plan?.prices ?? []), ...addPrices];
}

/** Returns the number of seats with which a price of a new subscription begins. Undefined for a price without a license type. */
export function initialSeats(
  licenses: LicenseCounts | undefined,
  { licenseTypeId }: PriceSnapshot,
): DecimalString | undefined {
  return licenseTypeId === undefined
    ? undefined
    : String(ownValue(licenses?.active ?? {}, licenseTypeId) ?? 0);
}

/**
 * Returns the number of seats of a price from `at` on, which is the number of active licenses. Within a charged period, the number of seats
 * never decreases. A freed seat that was paid for can therefore be given to another person. Undefined for a price without a license type.
 * Also undefined if no license of the type was ever counted, because subscriptions of early versions can have seats without licenses.
 *
 * @param had the item of the price before `at`; undefined for a new price
 */
export function seatsFromInstant(
  subscription: Seated,
  price: PriceSnapshot,
  had: SubscriptionItem | undefined,
  at: Instant,
): DecimalString | undefined {
  const active = activeSeats(subscription.licenses, price);
  if (active === undefined) return undefined;
  if (had === undefined || subscription.phase !== 'active' || endsPaidTime(subscription, had, at))
    return active;
  return decimalString(Decimal.max(had.quantity, active));
}

/** Returns the number of active licenses for a price. Undefined if the price has no license type, or if no license of it was counted. */
function activeSeats(
  licenses: LicenseCounts | undefined,
  { licenseTypeId }: PriceSnapshot,
): DecimalString | undefined {
  if (licenseTypeId === undefined) return undefined;
  const active = ownValue(licenses?.active ?? {}, licenseTypeId);
  return active === undefined ? undefined : String(active);
}

/**
 * Returns the items with the numbers of seats that they have from `at` on. An item whose number of seats does not change is returned as the
 * same object.
 */
export function itemsWithSeats(
  subscription: Seated & Pick<Subscription, 'items'>,
  at: Instant,
): SubscriptionItem[] {
  return subscription.items.map((item) => {
    const quantity = seatsFromInstant(subscription, item.price, item, at) ?? item.quantity;
    return quantity === item.quantity ? item : { ...item, quantity };
  });
}

/** Returns the items of a paused subscription. Such a subscription has no paid seats, so its seats are the active licenses. */
export function pausedItems({
  items,
  licenses,
}: Pick<Subscription, 'items' | 'licenses'>): SubscriptionItem[] {
  return items.map((item) => {
    const quantity = activeSeats(licenses, item.price) ?? item.quantity;
    return quantity === item.quantity ? item : { ...item, quantity };
  });
}

/**
 * Returns the items with which a renewal begins the next period. An item whose number of seats changes is charged anew from the renewal.
 */
export function renewedItems(subscription: Seated & Pick<Subscription, 'items'>): SubscriptionItem[] {
  const { end } = subscription.period;
  return itemsWithSeats(subscription, end).map((item, i) =>
    item === subscription.items[i] ? item : { ...item, since: end },
  );
}

/** Refuses quantities for prices whose seats are counted from licenses. */
export function refuseSeatQuantities(quantities: Quantities, prices: readonly PriceSnapshot[]): void {
  const counted = prices.find(
    ({ priceId, licenseTypeId }) => licenseTypeId !== undefined && priceId in quantities,
  );
  if (counted)
    throw InvalidRequest.field(
      'quantities',
      `must not name "${counted.priceId}", whose seats are the customer's active licenses of the type "${counted.licenseTypeId}"; ` +
        'allocate or deactivate licenses instead (/v1/licenses)',
    );
}

/** Tells whether a period of the price itself, which can be longer than the billing period, ends at `at`. */
function endsPaidTime(
  { period, anchor, timezone }: Seated,
  { price: { cadence }, since }: SubscriptionItem,
  at: Instant,
): boolean {
  if (at !== period.end || since > at || !isRecurring(cadence)) return false;
  return periodContaining({ anchor, timezone }, cadence, at).start === at;
}
