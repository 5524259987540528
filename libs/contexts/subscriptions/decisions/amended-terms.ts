import { InvalidRequest, laterOf, type DecimalString, type Instant } from '#libs/kernel/core';
import {
  anchorFor,
  billingIntervalOf,
  isFeeInAdvance,
  isRecurring,
  periodFrom,
  periodWithNumber,
  type PriceSnapshot,
} from '#libs/rating';
import type {
  AmendmentKind,
  BillingPeriod,
  FeeReplacement,
  SubscribedTerms,
  SubscriptionItem,
  TermsChange,
} from '../events.js';
import { hasUnits, replaceFees } from '../fee-replacements.js';
import { pricesOnPlan } from '../own-prices.js';
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
  /** The fees that take the place of the fees that end. */
  readonly replacements: readonly FeeReplacement[];
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

/** How a change applies to a subscription. `kind` says whether the change is for this subscription alone. */
export interface ChangeEffect extends ChangeTiming {
  readonly kind?: AmendmentKind;
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
  effect: ChangeEffect,
): AmendedTerms {
  const prices = pricesAfterChange(subscription, change);
  const interval = billingIntervalOf(prices);
  // The price map of a price migration is for all its subscriptions, so some of its entries are for others.
  const isForMany = effect.kind === 'price_migration';
  const { replacements, movedUnits } = replaceFees(subscription.items, prices, change, isForMany);
  const items = changedItems(subscription, change, { prices, movedUnits, at: effect.at });
  const { planId, planVersion, planName, planNameTranslations } = change.plan ?? subscription;
  const { minimumCommitment, billingThresholds } = change.plan ?? subscription;
  const named = {
    planId,
    planVersion,
    planName,
    billingInterval: interval,
    replacements,
    ...(planNameTranslations === undefined ? {} : { planNameTranslations }),
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
    ? { ...named, ...within(subscription, items, effect, replacements) }
    : { ...named, ...itemsWithNewPeriods(subscription, items, interval, effect.at) };
}

/** Returns the terms of the subscription with the given items, which apply from an instant within the present period. */
export function termsWithItems(
  subscription: Subscription,
  items: readonly NewItem[],
  effect: ChangeTiming,
): AmendedTerms {
  const { planId, planVersion, planName, billingInterval: interval } = subscription;
  const { planNameTranslations, minimumCommitment, billingThresholds } = subscription;
  return {
    planId,
    planVersion,
    planName,
    billingInterval: interval,
    replacements: [],
    ...(planNameTranslations === undefined ? {} : { planNameTranslations }),
    ...(minimumCommitment === undefined ? {} : { minimumCommitment }),
    ...(billingThresholds === undefined ? {} : { billingThresholds }),
    ...within(subscription, items, effect, []),
  };
}

type ItemChanges = Omit<
  AmendedTerms,
  | 'planId'
  | 'planVersion'
  | 'planName'
  | 'planNameTranslations'
  | 'minimumCommitment'
  | 'billingThresholds'
  | 'billingInterval'
  | 'replacements'
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
  replacements: readonly FeeReplacement[],
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
      : feeStartingUnprorated(item, before, { at, next, present, replacements });
  });
  return { anchor, items: after, period: present, ...comparison(before, after), restartsPeriods: false };
}

/**
 * An unprorated change at the instant `at`, with the billing period that applies from then on (`present`). `next` is the instant from which
 * a fee is charged if neither this fee nor a fee that it replaces was paid in advance.
 */
interface Unprorated {
  readonly at: Instant;
  readonly next: Instant;
  readonly present: BillingPeriod;
  readonly replacements: readonly FeeReplacement[];
}

/**
 * Returns a fee that begins with an unprorated change, with the time from which it is charged. A fee in advance can be added again while
 * time remains that was already paid for it. A fee in advance that is added again is charged from the end of its paid time. A fee that
 * replaces fees that were paid in advance is charged from the end of their paid time, whatever its cadence. Without any paid time, or if it
 * also replaces a fee in arrears, a fee in advance is charged from the next billing period at the earliest. A fee in arrears is charged
 * from the start of the billing period, except for the time that was already billed.
 */
function feeStartingUnprorated(
  item: NewItem,
  subscription: Subscription,
  change: Unprorated,
): SubscriptionItem {
  const { at, next, present } = change;
  const { prepaid } = subscription;
  const before = feesReplacedBy(item, subscription, change);
  const [paidFees, unpaidFees] = [true, false].map((is) =>
    before.filter((one) => isPaidAhead(one, at) === is),
  ) as [SubscriptionItem[], SubscriptionItem[]];
  const paid = paidFees
    .map((one) => endOfChargedTime(one, prepaid, at))
    .sort()
    .at(-1);
  const waiting = (since: Instant): SubscriptionItem => {
    const waitsFor = since > at ? feesAwaitedByReplacement(prepaid, paidFees) : [];
    return { ...item, since, ...(waitsFor.length > 0 ? { waitsFor } : {}) };
  };
  if (isFeeInAdvance(item.price)) {
    const own = paidUntilOfReturningFee(item, prepaid, at);
    if (own !== undefined) return { ...item, since: own };
    // An ended fee in arrears that is not paid is charged up to `next`.
    return waiting(
      laterOf(at, paid === undefined || unpaidFees.length > 0 ? laterOf(next, paid ?? next) : paid),
    );
  }
  if (paid !== undefined && unpaidFees.length === 0) return waiting(laterOf(at, paid));
  const [unbilled = present.start] = unpaidFees.map(({ since }) => since).sort();
  return { ...item, since: laterOf(endOfBilledTime(item, subscription, present), unbilled) };
}

/** Tells whether time after `at` is paid for the fee: it is charged in advance, or it waits for the end of paid time. */
function isPaidAhead({ price, since, waitsFor }: SubscriptionItem, at: Instant): boolean {
  return isFeeInAdvance(price) || (waitsFor !== undefined && since > at);
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
 * Returns the fees that a new fee replaces: the same price in another version or quantity, or else the fees whose place the new fee takes.
 */
function feesReplacedBy(
  { price: { priceId } }: NewItem,
  { items }: Subscription,
  { replacements }: Unprorated,
): readonly SubscriptionItem[] {
  const fees = items.filter(({ price }) => isRecurring(price.cadence) && price.metricId === null);
  const itself = fees.filter(({ price }) => price.priceId === priceId);
  if (itself.length > 0) return itself;
  return fees.filter(({ price }) =>
    replacements.some(({ from, to }) => from === price.priceId && to === priceId),
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

/** The prices after a change at the instant `at`, and the units that move to them from fees that end. */
interface ChangedPrices {
  readonly prices: readonly PriceSnapshot[];
  readonly movedUnits: ReadonlyMap<string, DecimalString>;
  readonly at: Instant;
}

function changedItems(
  subscription: Subscription,
  { quantities }: TermsChange,
  { prices, movedUnits, at }: ChangedPrices,
): NewItem[] {
  const before = new Map(subscription.items.map((item) => [item.price.priceId, item]));
  checkQuantities(quantities, prices);
  const restarts = billingIntervalOf(prices) !== subscription.billingInterval;
  return prices.map((price) => {
    const { priceId, licenseTypeId } = price;
    const had = hasUnits(price) ? before.get(priceId) : undefined;
    // A new period begins with the active licenses, and without the seats that were freed.
    const seats = seatsFromInstant(subscription, price, restarts ? undefined : had, at);
    const moved = licenseTypeId === undefined ? movedUnits.get(priceId) : undefined;
    const units = quantities[priceId] ?? moved ?? had?.quantity ?? (licenseTypeId === undefined ? '1' : '0');
    return { price, quantity: seats ?? units };
  });
}

/**
 * Returns the prices after a change of terms. Throws InvalidRequest for an impossible change, with a message that says what cannot be
 * changed.
 */
export function pricesAfterChange(
  subscription: Subscription,
  { plan, addPrices, removePrices }: TermsChange,
): PriceSnapshot[] {
  const { items, currency } = subscription;
  if (plan && plan.currency !== currency)
    throw InvalidRequest.field(
      'planId',
      `must be a plan in ${currency}, like the subscription; it is in ${plan.currency}`,
    );
  const base = plan ? pricesOnPlan(subscription, plan.prices) : items.map(({ price }) => price);
  const removable = [...base, ...(plan?.prices ?? [])];
  const unknown = removePrices.find((priceId) => !removable.some((price) => price.priceId === priceId));
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
