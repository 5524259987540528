import type { PriceSnapshot } from '#libs/rating';
import type { SubscriptionItem, TermsChange } from './events.js';

/** A price of a plan that was removed from a subscription. */
export interface RemovedPrice {
  readonly priceId: string;
  readonly name: string;
}

/**
 * What a subscription has of its own, beside the prices of its plan. Its added and removed prices go with the subscription to another plan.
 */
export interface OwnPrices {
  /** The ids of all prices of the present plan, in the version of the plan that the subscription has. */
  readonly ofPlan: readonly string[];
  /** The ids of the prices that were added to the subscription. */
  readonly added: readonly string[];
  /** The prices of plans that were removed from the subscription. */
  readonly removed: readonly RemovedPrice[];
}

/** The prices of a subscription, and which of them are its own. */
interface Priced {
  readonly items: readonly Pick<SubscriptionItem, 'price'>[];
  readonly ownPrices: OwnPrices;
}

/**
 * Returns the prices of a subscription on a new plan or plan version: the prices of the plan, and the prices that were added to the
 * subscription. An added price keeps its version, unless the plan has it too. Prices that were removed from the subscription stay away.
 */
export function pricesOnPlan(subscription: Priced, planPrices: readonly PriceSnapshot[]): PriceSnapshot[] {
  const isOfPlan = ({ priceId }: PriceSnapshot) => planPrices.some((price) => price.priceId === priceId);
  const own = ownItems(subscription).filter((price) => !isOfPlan(price));
  return [...planPrices.filter((price) => !staysAway(price, subscription)), ...own];
}

/**
 * Tells whether a price of a new plan stays away from the subscription. It was removed, or it takes the place of a removed price: it has the
 * same name, or it charges for usage that only a price of the subscription's own charges for.
 */
function staysAway({ priceId, name, metricId }: PriceSnapshot, subscription: Priced): boolean {
  const { items, ownPrices } = subscription;
  if (items.some(({ price }) => price.priceId === priceId)) return false;
  if (ownPrices.removed.some((one) => one.priceId === priceId)) return true;
  const own = ownItems(subscription);
  const ofPlan = items.map(({ price }) => price).filter((price) => !own.includes(price));
  const isRemovedName = ownPrices.removed.some((one) => one.name === name);
  if (isRemovedName && !ofPlan.some((price) => price.name === name)) return true;
  const measures = (price: PriceSnapshot) => metricId !== null && price.metricId === metricId;
  return own.some(measures) && !ofPlan.some(measures);
}

function ownItems({ items, ownPrices }: Priced): PriceSnapshot[] {
  return items.map(({ price }) => price).filter(({ priceId }) => ownPrices.added.includes(priceId));
}

/** Returns the own prices of a new subscription, which has the prices of its plan. */
export function initialOwnPrices(items: Priced['items']): OwnPrices {
  return { ofPlan: items.map(({ price }) => price.priceId), added: [], removed: [] };
}

/**
 * Returns the own prices after a change of terms. `before` is the subscription before the change. A price that is added is of its own if the
 * plan does not have it. A price of the plan that is removed is remembered, also on plans that do not have it.
 */
export function ownPricesAfter(before: Priced, { plan, addPrices, removePrices }: TermsChange): OwnPrices {
  const { added, removed, ofPlan: planBefore } = before.ownPrices;
  const ofPlan = plan ? plan.prices.map(({ priceId }) => priceId) : planBefore;
  const known = [...(plan?.prices ?? []), ...before.items.map(({ price }) => price)];
  const more = addPrices.map(({ priceId }) => priceId).filter((priceId) => !ofPlan.includes(priceId));
  const newlyRemoved = removePrices
    .filter((priceId) => ofPlan.includes(priceId))
    .flatMap((priceId) => known.find((price) => price.priceId === priceId) ?? [])
    .map(({ priceId, name }) => ({ priceId, name }));
  const isChanged = (priceId: string) =>
    addPrices.some((price) => price.priceId === priceId) ||
    newlyRemoved.some((price) => price.priceId === priceId);
  return {
    ofPlan,
    added: [...new Set([...added, ...more])].filter((priceId) => !removePrices.includes(priceId)),
    removed: [...removed.filter(({ priceId }) => !isChanged(priceId)), ...newlyRemoved],
  };
}
