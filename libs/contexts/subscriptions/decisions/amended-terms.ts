import { InvalidRequest, laterOf, type Instant } from '#libs/kernel/core';
import {
  anchorFor,
  billingIntervalOf,
  isFeeInAdvance,
  isRecurring,
  periodFrom,
  periodWithNumber,
  type PriceSnapshot,
} from '#libs/rating';
import type { BillingPeriod, SubscribedTerms, SubscriptionItem, TermsChange } from '../events.js';
import {
  endOfChargedTime,
  paidUntilOfReturningFee,
  feesAwaitedByReplacement,
  itemsAfterFeesReturn,
} from '../prepaid.js';
import { checkQuantities } from '../quantities.js';
import { seatsFromInstant } from '../seats.js';
import type { Subscription } from '../subscription.js';
import { boundaryAlignment } from './create.js';

/**
 * The terms after a change. `period` is the billing period that contains the instant of the change. If the subscription is paused or has
 * not started, `period` is its unchanged period.
 */
export interface AmendedTerms extends SubscribedTerms {
  readonly period: BillingPeriod;
  /** The items that stay (`kept`), those that end (`removed`) and those that begin (`added`). */
  readonly kept: SubscriptionItem[];
  readonly removed: SubscriptionItem[];
  readonly added: SubscriptionItem[];
  /** Tells whether the billing periods are counted anew from the change on. */
  readonly restartsPeriods: boolean;
}

/** A subscription item without the time from which it is charged. */
type NewItem = Pick<SubscriptionItem, 'price' | 'quantity'>;

/** The instant of a change, and whether fees are charged and given back for parts of periods (`prorate`). */
export interface ChangeTiming {
  readonly at: Instant;
  readonly prorate: boolean;
}

/** The error code of a change that would change nothing. */
export const NOTHING_TO_AMEND = 'nothing_to_amend';

/**
 * Returns the terms after a change. If the change alters the billing interval of an active subscription, a new billing period begins at
 * once. The new period ends on the chosen day of the month if there is one. If the billing interval does not change, the periods stay. If a
 * period ends at the instant of the change, the next period counts as the present one. If a subscription is paused or not charged yet, it
 * is charged by the new terms when it is resumed, or when its first charged period begins. Throws InvalidRequest for an impossible change,
 * with a message that says what cannot be changed.
 */
export function amendedTerms(
  subscription: Subscription,
  change: TermsChange,
  effect: ChangeTiming,
): AmendedTerms {
  const prices = pricesAfterChange(subscription, change);
  const interval = billingIntervalOf(prices);
  const items = changedItems(subscription, change, prices, effect.at);
  const { planId, planVersion, planName, minimumCommitment, billingThresholds } = change.plan ?? subscription;
  const named = {
    ...{ planId, planVersion, planName, billingInterval: interval },
    ...(minimumCommitment === undefined ? {} : { minimumCommitment }),
    ...(billingThresholds === undefined ? {} : { billingThresholds }),
  };
  if (hasSameTerms(subscription, items, named))
    throw new InvalidRequest(
      NOTHING_TO_AMEND,
      'The subscription has this plan with these prices and quantities already; name something to change',
    );
  if (subscription.phase !== 'active') return { ...named, ...uncharged(subscription, items, interval) };
  return interval === subscription.billingInterval
    ? { ...named, ...within(subscription, items, effect) }
    : { ...named, ...itemsWithNewPeriods(subscription, items, interval, effect.at) };
}

/** Returns the terms of the subscription with the given items, which apply from an instant within the present period. */
export function termsWithItems(
  subscription: Subscription,
  items: readonly NewItem[],
  effect: ChangeTiming,
): AmendedTerms {
  const { planId, planVersion, planName, billingInterval: interval } = subscription;
  const { minimumCommitment, billingThresholds } = subscription;
  return {
    ...{ planId, planVersion, planName, billingInterval: interval },
    ...(minimumCommitment === undefined ? {} : { minimumCommitment }),
    ...(billingThresholds === undefined ? {} : { billingThresholds }),
    ...within(subscription, items, effect),
  };
}

type ItemChanges = Omit<
  AmendedTerms,
  'planId' | 'planVersion' | 'planName' | 'minimumCommitment' | 'billingThresholds' | 'billingInterval'
>;

/** Returns the items for a subscription that is paused or not charged yet. When charging begins, the new items are charged. */
function uncharged(
  subscription: Subscription,
  items: NewItem[],
  interval: SubscribedTerms['billingInterval'],
): ItemChanges {
  const { phase, period, timezone, anchorDay, trialEnd, startedAt } = subscription;
  const since = trialEnd ?? startedAt;
  const { anchor } =
    phase === 'paused' ? subscription : anchorFor(since, timezone, interval, boundaryAlignment(anchorDay));
  const after = items.map((item) => ({ ...item, since }));
  return { anchor, items: after, period, ...comparison(subscription, after), restartsPeriods: false };
}

/** Ends all items, and begins the new items with a new period. */
function itemsWithNewPeriods(
  { items: before, timezone, anchorDay }: Subscription,
  items: NewItem[],
  interval: SubscribedTerms['billingInterval'],
  at: Instant,
): ItemChanges {
  const { anchor } = anchorFor(at, timezone, interval, boundaryAlignment(anchorDay));
  const after = items.map((item) => ({ ...item, since: at }));
  const period = periodFrom({ anchor, timezone }, interval, at);
  return { anchor, items: after, period, kept: [], removed: before, added: after, restartsPeriods: true };
}

/** Returns the items after a change that keeps the periods. */
function within(
  subscription: Subscription,
  items: readonly NewItem[],
  { at, prorate }: ChangeTiming,
): ItemChanges {
  const { anchor, timezone, period, billingInterval: interval, prepaid } = subscription;
  const index = period.index + 1;
  const present =
    at === period.end ? { index, ...periodWithNumber({ anchor, timezone }, interval, index) } : period;
  const begun = items.filter((item) => !subscription.items.some((one) => isSame(one, item)));
  const next = prorate || at === present.start ? at : present.end;
  const before = {
    ...subscription,
    items: itemsAfterFeesReturn(subscription.items, prepaid, begun, { at, next }),
  };
  const after = items.map((item) => {
    const had = before.items.find((one) => isSame(one, item));
    if (had) return had;
    // Usage is always split at the change, even if fees are not prorated.
    return prorate || item.price.metricId !== null
      ? { ...item, since: at }
      : feeStartingUnprorated(item, before, { at, next, present, after: items });
  });
  return { anchor, items: after, period: present, ...comparison(before, after), restartsPeriods: false };
}

/**
 * An unprorated change at the instant `at`, with the billing period (`present`) and the items (`after`) that apply from then on. `next` is
 * the instant from which a fee is charged if neither this fee nor a fee that it replaces was paid in advance.
 */
interface Unprorated {
  readonly at: Instant;
  readonly next: Instant;
  readonly present: BillingPeriod;
  readonly after: readonly NewItem[];
}

/**
 * Returns a fee that begins with an unprorated change, with the time from which it is charged. A fee in advance can be added again while
 * time remains that was already paid for it. A fee in advance that is added again is charged from the end of its paid time. A fee in
 * advance that replaces paid fees is charged from the end of their paid time. Without any paid time, the fee is charged from the next
 * billing period. A fee in arrears is charged from the start of the billing period, except for the time that was already billed.
 */
function feeStartingUnprorated(
  item: NewItem,
  subscription: Subscription,
  change: Unprorated,
): SubscriptionItem {
  const { at, next, present } = change;
  const { prepaid } = subscription;
  const before = feesReplacedBy(item, subscription, change);
  if (isFeeInAdvance(item.price)) {
    const own = paidUntilOfReturningFee(item, prepaid, at);
    if (own !== undefined) return { ...item, since: own };
    const paid = before.map((one) => endOfChargedTime(one, prepaid, at)).sort();
    const since = laterOf(at, paid.at(-1) ?? next);
    const waitsFor = since > at ? feesAwaitedByReplacement(prepaid, before) : [];
    return { ...item, since, ...(waitsFor.length > 0 ? { waitsFor } : {}) };
  }
  const [unbilled = present.start] = before.map(({ since }) => since).sort();
  return { ...item, since: laterOf(endOfBilledTime(item, subscription, present), unbilled) };
}

/**
 * Returns the instant up to which a fee in arrears was billed in the present billing period, before it ended. If it was not billed in the
 * period, returns the start of the period.
 */
function endOfBilledTime(
  { price, quantity }: NewItem,
  { commitmentProgress: { billed } }: Subscription,
  { start }: BillingPeriod,
): Instant {
  return billed
    .filter((charge) => !charge.refund && isSame({ quantity: '1', ...charge }, { price, quantity }))
    .reduce((end, { service }) => laterOf(end, service.end), start);
}

/**
 * Returns the fees that a new fee replaces. Only fees with the same timing (in advance or in arrears) are replaced. The replaced fees are
 * the same price in another version or quantity. If no fee has the same price, the replaced fees are those that end and have the same
 * cadence.
 */
function feesReplacedBy(
  { price }: NewItem,
  { items }: Subscription,
  { after }: Unprorated,
): readonly SubscriptionItem[] {
  const ofPrice = (priceId: string) => (one: NewItem) => one.price.priceId === priceId;
  const alike = items.filter(
    (one) =>
      one.price.timing === price.timing && isRecurring(one.price.cadence) && one.price.metricId === null,
  );
  const itself = alike.filter(ofPrice(price.priceId));
  if (itself.length > 0) return itself;
  return alike.filter(
    (one) => one.price.cadence === price.cadence && !after.some(ofPrice(one.price.priceId)),
  );
}

function comparison({ items: before }: Subscription, after: SubscriptionItem[]) {
  const isIn = (items: readonly SubscriptionItem[]) => (item: SubscriptionItem) =>
    items.some((one) => isSame(one, item));
  const isAfter = isIn(after);
  const isBefore = isIn(before);
  return {
    kept: before.filter(isAfter),
    removed: before.filter((item) => !isAfter(item)),
    added: after.filter((item) => !isBefore(item)),
  };
}

function hasSameTerms(
  { planId, planVersion, items: before }: Subscription,
  after: readonly NewItem[],
  plan: Pick<SubscribedTerms, 'planId' | 'planVersion'>,
): boolean {
  return (
    planId === plan.planId &&
    planVersion === plan.planVersion &&
    before.length === after.length &&
    before.every((item) => after.some((one) => isSame(one, item)))
  );
}

function isSame(a: NewItem, b: NewItem): boolean {
  return (
    a.price.priceId === b.price.priceId && a.price.version === b.price.version && a.quantity === b.quantity
  );
}

function changedItems(
  subscription: Subscription,
  { quantities }: TermsChange,
  prices: readonly PriceSnapshot[],
  at: Instant,
): NewItem[] {
  const before = new Map(subscription.items.map((item) => [item.price.priceId, item]));
  checkQuantities(quantities, prices);
  const restarts = billingIntervalOf(prices) !== subscription.billingInterval;
  return prices.map((price) => {
    const had = hasUnits(price) ? before.get(price.priceId) : undefined;
    // A new period begins with the active licenses, and without the seats that were freed.
    const seats = seatsFromInstant(subscription, price, restarts ? undefined : had, at);
    const units =
      quantities[price.priceId] ?? had?.quantity ?? (price.licenseTypeId === undefined ? '1' : '0');
    return { price, quantity: seats ?? units };
  });
}

/**
 * Returns the prices after a change of terms. Throws InvalidRequest for an impossible change, with a message that says what cannot be
 * changed.
 */
export function pricesAfterChange(
  { items, currency }: Subscription,
  { plan, addPrices, removePrices }: TermsChange,
): PriceSnapshot[] {
  if (plan && plan.currency !== currency)
    throw InvalidRequest.field(
      'planId',
      `must be a plan in ${currency}, like the subscription; it is in ${plan.currency}`,
    );
  const base = plan ? plan.prices : items.map(({ price }) => price);
  const unknown = removePrices.find((priceId) => !base.some((price) => price.priceId === priceId));
  if (unknown !== undefined)
    throw InvalidRequest.field(
      'removePrices',
      `must name prices of the subscription or its new plan; "${unknown}" is not one of them`,
    );
  const foreign = addPrices.find(({ config }) => config.currency !== currency);
  if (foreign)
    throw InvalidRequest.field(
      'addPrices',
      `must be in ${currency}, like the subscription; "${foreign.priceId}" is in ${foreign.config.currency}`,
    );
  const left = base.filter(({ priceId }) => !removePrices.includes(priceId));
  const newest = new Map(addPrices.map((price) => [price.priceId, price]));
  const had = new Set(left.map(({ priceId }) => priceId));
  const prices = [
    ...left.map((price) => newest.get(price.priceId) ?? price),
    ...[...newest.values()].filter(({ priceId }) => !had.has(priceId)),
  ];
  if (prices.length === 0)
    throw InvalidRequest.field(
      'removePrices',
      'must leave the subscription a price; to end the subscription, cancel it',
    );
  return prices;
}

/** Tells whether the price can have several units, as in {@link checkQuantities}. */
function hasUnits({ metricId, config }: PriceSnapshot): boolean {
  return metricId === null && config.model !== 'flat';
}
