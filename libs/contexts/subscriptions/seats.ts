import type { LicenseCount } from '#libs/contexts/licenses';
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

/** The part of a subscription that its seats depend on. */
type Seated = Pick<Subscription, 'licenses' | 'phase' | 'period' | 'anchor' | 'timezone'>;

/** Tells whether the seats of one of these prices are the active licenses of its type. */
export function chargesForLicenses(prices: readonly Pick<PriceSnapshot, 'licenseTypeId'>[]): boolean {
  return prices.some(({ licenseTypeId }) => licenseTypeId !== undefined);
}

/**
 * Tells whether a subscription counts licenses. A subscription counts licenses if it has a price that charges for them, or if a scheduled
 * change will give it such a price. `prices` are further prices that the subscription is about to get.
 */
export function concernsLicenses(
  { phase, items, amendments }: Pick<Subscription, 'phase' | 'items' | 'amendments'>,
  prices: readonly PriceSnapshot[] = [],
): boolean {
  if (phase === 'canceled') return false;
  const scheduled = amendments.filter(({ status }) => status === 'scheduled');
  return chargesForLicenses([
    ...items.map(({ price }) => price),
    ...scheduled.flatMap(({ change }) => pricesInChange(change)),
    ...prices,
  ]);
}

/** Returns the prices that a change of terms names: those of its plan, and those that it adds. */
export function pricesInChange({ plan, addPrices }: TermsChange): readonly PriceSnapshot[] {
  return [...(plan?.prices ?? []), ...addPrices];
}

/** Returns the seats of a price that a new subscription begins with. Undefined for a price without a license type. */
export function firstSeats(
  licenses: LicenseCount | undefined,
  { licenseTypeId }: PriceSnapshot,
): DecimalString | undefined {
  return licenseTypeId === undefined
    ? undefined
    : String(ownValue(licenses?.active ?? {}, licenseTypeId) ?? 0);
}

/**
 * Returns the seats of a price from `at` on: its active licenses. Within a period that is charged, the seats never become fewer. So a paid
 * seat that is freed can be given to somebody else. Undefined for a price without a license type. Also undefined if no license of the type
 * was ever counted: subscriptions of early versions can have seats without licenses.
 *
 * @param had the item of the price before `at`; undefined for a new one
 */
export function seatsFromInstant(
  subscription: Seated,
  { licenseTypeId }: PriceSnapshot,
  had: SubscriptionItem | undefined,
  at: Instant,
): DecimalString | undefined {
  if (licenseTypeId === undefined) return undefined;
  const active = ownValue(subscription.licenses?.active ?? {}, licenseTypeId);
  if (active === undefined) return undefined;
  if (had === undefined || subscription.phase !== 'active' || endsPaidTime(subscription, had, at))
    return String(active);
  return decimalString(Decimal.max(had.quantity, active));
}

/** Returns the items with the seats that they have from `at` on. An item whose seats stay the same is the same object. */
export function itemsWithSeats(
  subscription: Seated & Pick<Subscription, 'items'>,
  at: Instant,
): SubscriptionItem[] {
  return subscription.items.map((item) => {
    const quantity = seatsFromInstant(subscription, item.price, item, at) ?? item.quantity;
    return quantity === item.quantity ? item : { ...item, quantity };
  });
}

/** Returns the items that a renewal begins the next period with. An item whose seats change begins anew. */
export function renewedItems(subscription: Seated & Pick<Subscription, 'items'>): SubscriptionItem[] {
  const { end } = subscription.period;
  return itemsWithSeats(subscription, end).map((item, i) =>
    item === subscription.items[i] ? item : { ...item, since: end },
  );
}

/** Refuses quantities for prices whose seats are counted. */
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

/** Tells whether `at` is the end of a period of the price itself, which can be longer than the billing period. */
function endsPaidTime(
  { period, anchor, timezone }: Seated,
  { price: { cadence }, since }: SubscriptionItem,
  at: Instant,
): boolean {
  if (at !== period.end || since > at || !isRecurring(cadence)) return false;
  return periodContaining({ anchor, timezone }, cadence, at).start === at;
}
