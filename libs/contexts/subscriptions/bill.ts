import { addSeconds, deriveUlid, type Instant } from '#libs/kernel/core';
import {
  chargesOwed,
  isFeeInAdvance,
  oneTimeCharges,
  type Charge,
  type Period,
  type PlanCommitment,
} from '#libs/rating';
import {
  commitmentToSettle,
  isCommitmentSettled,
  type CommitmentProgress,
  type NextTerms,
} from './commitment-progress.js';
import type { Bill, BillingPeriod, BillKind, SubscriptionAgreement, SubscriptionItem } from './events.js';

/** The data of a subscription from which bills are computed, with its present period. */
export interface BillableSubscription extends Pick<
  SubscriptionAgreement,
  'subscriptionId' | 'customerId' | 'currency' | 'anchor' | 'timezone' | 'billingInterval' | 'items'
> {
  readonly period: BillingPeriod;
  /** The number of bills that the subscription had so far. */
  readonly billCount: number;
}

/** A subscription with its minimum commitment, for the bill that ends a period. */
export interface BillableSubscriptionWithCommitment
  extends BillableSubscription, Pick<SubscriptionAgreement, 'minimumCommitment'> {
  readonly commitmentProgress: CommitmentProgress;
}

/** Returns the bill of the first charged period: fees in advance and one-time prices. Null if there are none. */
export function firstBill(subscription: BillableSubscription): Bill | null {
  const { period, items } = subscription;
  const charges = [...owedBy(subscription, items, period.start), ...oneTimeCharges(items, period.start)];
  return billOf(subscription, 'cycle', period.start, period, charges);
}

/**
 * Returns the bill of the period that begins when a paused subscription is resumed. The bill of a resumption charges the fees in advance of
 * this period. `unused` are the give-backs of fees that were paid before the pause for time after the resumption. `charged` tells whether
 * this period is the `first` charged period, whose bill also charges the one-time prices. Null if there is nothing to charge or give back.
 */
export function resumptionBill(
  subscription: BillableSubscription,
  unused: readonly Charge[],
  charged: 'first' | 'later',
): Bill | null {
  const { period, items } = subscription;
  const oneTime = charged === 'first' ? oneTimeCharges(items, period.start) : [];
  const charges = [...unused, ...owedBy(subscription, items, period.start), ...oneTime];
  return billOf(subscription, 'resume', period.start, period, charges);
}

/**
 * Returns the bill at the end of the present period, for a subscription that continues after it. `after` contains the items after the end
 * of the period. An item that changes at the end of the period begins anew.
 */
export function cycleBill(
  subscription: BillableSubscriptionWithCommitment,
  after: readonly SubscriptionItem[] = subscription.items,
): Bill | null {
  const { period, items } = subscription;
  const { end } = period;
  const charges = items.flatMap((item, i) => {
    const next = after[i]!;
    const ended = next === item ? [] : chargesOwed(subscription, item, end, 'ends');
    return [...ended, ...chargesOwed(subscription, next, end)];
  });
  const commitment = isCommitmentSettled(subscription, { ...subscription, period: { start: end } })
    ? commitmentToSettle(subscription, end, charges, items)
    : undefined;
  return billOf(subscription, 'cycle', end, period, charges, commitment);
}

/**
 * Returns the last bill of a subscription that ends at `at`. The bill charges the amounts that are owed up to `at`, and gives back the
 * `unused` fees after `at`.
 */
export function finalBill(
  subscription: BillableSubscriptionWithCommitment,
  at: Instant,
  unused: readonly Charge[],
): Bill | null {
  return closingBill(subscription, 'final', at, unused);
}

/**
 * Returns the last bill if nothing is charged for `period`, because the charges in arrears are waived. A last bill without arrears only
 * gives back the `unused` fees.
 */
export function finalBillWithoutArrears(
  subscription: BillableSubscription,
  period: Period,
  unused: readonly Charge[],
): Bill | null {
  return billOf(subscription, 'final', period.end, period, unused);
}

/**
 * Returns the last bill of a subscription that ends in a pause. The pause has billed all charges in arrears, so the last bill only gives
 * back the `unused` fees. If the subscription has usage, there is a last bill in any case: usage from before the pause can have arrived
 * after the bill of the pause, and the last invoice bills it as late usage. `previous` is the bill before the last one. Null if there is no
 * earlier bill of usage, and nothing to give back.
 */
export function finalBillAfterPause(
  subscription: BillableSubscription,
  period: Period,
  { unused, previous }: { readonly unused: readonly Charge[]; readonly previous: Bill | null },
): Bill | null {
  const charged = [...subscription.items, ...(previous?.charges ?? [])];
  const mayHaveLateUsage = previous !== null && charged.some(({ price }) => price.metricId !== null);
  return mayHaveLateUsage
    ? billWith(subscription, 'final', period.end, period, [...unused])
    : finalBillWithoutArrears(subscription, period, unused);
}

/**
 * Returns the bill of a pause that begins at `at`. The bill charges the amounts that are owed up to `at`.
 * `unused` are the give-backs of fees that were paid for time after `at`.
 */
export function pauseBill(
  subscription: BillableSubscriptionWithCommitment,
  at: Instant,
  unused: readonly Charge[],
): Bill | null {
  return closingBill(subscription, 'pause', at, unused);
}

/** The data from which the bill of a change of terms is computed. */
export interface ChangeToBill {
  readonly at: Instant;
  /** The items that continue unchanged. */
  readonly kept: readonly SubscriptionItem[];
  /** The items that end. */
  readonly removed: readonly SubscriptionItem[];
  /** The items that begin. */
  readonly added: readonly SubscriptionItem[];
  /** Returns the instant up to which the old terms charge a removed item in arrears. */
  readonly endOfArrears: (item: SubscriptionItem) => Instant;
  /** The terms from `at` on. */
  readonly after: BillableSubscription & NextTerms;
  /** True if the billing periods are counted anew from `at`. */
  readonly restartsPeriods: boolean;
  /** The fees in advance for items that begin. */
  readonly chargesToBill: readonly Charge[];
  /** The give-backs of fees in advance for items that end. */
  readonly giveBacks: readonly Charge[];
}

/**
 * Returns the bill of a change of terms. The bill gives back old fees and charges new fees for the rest of their periods. The bill of a
 * change also charges removed items in arrears, and new one-time prices. If the present period ends at the instant of the change, the bill
 * also replaces the bill at the period's end. The bill includes the minimum commitment if {@link isCommitmentSettled} says that the change
 * settles it.
 */
export function amendmentBill(before: BillableSubscriptionWithCommitment, change: ChangeToBill): Bill | null {
  const { at, kept, removed, added, after, restartsPeriods, endOfArrears } = change;
  const { period } = before;
  const isBoundary = at === period.end;
  const charges = [
    ...change.giveBacks,
    ...change.chargesToBill,
    ...removed.flatMap((item) => chargesOwed(before, item, endOfArrears(item), 'ends')),
    ...owedBy(after, kept, at),
    ...newOneTimeCharges(before, added, at),
  ];
  const of = restartsPeriods && !isBoundary ? after.period : period;
  const commitment = isCommitmentSettled(before, after)
    ? commitmentToSettle(before, at, charges, kept)
    : undefined;
  return billOf(before, isBoundary ? 'cycle' : 'amendment', at, of, charges, commitment);
}

/** Returns the bill of a change during a pause, with the new one-time prices. Null if there are none. */
export function amendmentWhilePausedBill(
  before: BillableSubscription,
  added: readonly SubscriptionItem[],
  at: Instant,
): Bill | null {
  return billOf(before, 'amendment', at, { start: at, end: at }, newOneTimeCharges(before, added, at));
}

/**
 * Returns the charges of new one-time prices. A one-time price that the subscription already has is not charged again in another version.
 */
function newOneTimeCharges(
  before: BillableSubscription,
  added: readonly SubscriptionItem[],
  at: Instant,
): Charge[] {
  const had = new Set(before.items.map(({ price }) => price.priceId));
  return oneTimeCharges(
    added.filter(({ price }) => !had.has(price.priceId)),
    at,
  );
}

/**
 * Returns a bill of the usage of the given prices up to `through`, within the present period. Later bills do not charge the time of a usage
 * bill again. The bill has no charges if there is no time to charge. Its invoice then has only overage of prepaid credits and late usage.
 */
export function usageBill(
  subscription: BillableSubscription,
  through: Instant,
  invoiceId: string,
  priceIds: readonly string[],
): Bill {
  const charges = usageOwed(subscription, through).filter(({ price }) => priceIds.includes(price.priceId));
  const start = charges.map(({ service }) => service.start).sort()[0] ?? subscription.period.start;
  return { ...billWith(subscription, 'interim', through, { start, end: through }, charges), invoiceId };
}

/**
 * Returns a bill of everything that is delivered up to `end` within the present period and not yet billed. The bill charges usage, fees in
 * arrears, and the amount that is missing to the minimum commitment up to `end`, as if the subscription ended at `end`. The bill of
 * unbilled time is only used to measure revenue, and is never invoiced. Null if there is nothing to bill.
 */
export function revenueMeasurementBill(
  subscription: BillableSubscriptionWithCommitment,
  end: Instant,
): Bill | null {
  const { subscriptionId, period } = subscription;
  const until = end < period.end ? end : period.end;
  const charges = subscription.items
    .filter(({ price }) => !isFeeInAdvance(price))
    .flatMap((item) => chargesOwed(subscription, item, until, 'ends'));
  const commitment = commitmentToSettle(subscription, until, charges, []);
  const bill = billOf(subscription, 'cycle', until, { start: period.start, end: until }, charges, commitment);
  return bill && { ...bill, invoiceId: deriveUlid('inv', until, subscriptionId, 'unbilled') };
}

/**
 * The maximum number of progressive bills in one period. The number of progressive bills is limited, because each progressive bill has to
 * read all earlier ones.
 */
const MAX_PROGRESSIVE_BILLS = 100;

/**
 * Returns a bill of all usage in the present period up to and including `now`, less the amounts of earlier progressive bills. The items
 * keep their `since`, because the bill that ends the period charges all usage again, less the progressive bills. Null if no price is
 * metered. There is no bill after {@link MAX_PROGRESSIVE_BILLS} progressive bills; the bill at the end of the period then charges the rest.
 */
export function progressiveBill(subscription: BillableSubscription, now: Instant): Bill | null {
  const { subscriptionId, period, billCount } = subscription;
  // While a sandbox's clock stands still, usage can have exactly the time `now`. So the bill ends a millisecond later.
  const justAfter = addSeconds(now, 0.001);
  const end = justAfter < period.end ? justAfter : period.end;
  const charges = usageOwed(subscription, end).map((charge) => ({ ...charge, progressive: true as const }));
  if (charges.some(({ invoicedBy = [] }) => invoicedBy.length >= MAX_PROGRESSIVE_BILLS)) return null;
  const start = charges.map(({ service }) => service.start).sort()[0] ?? now;
  const bill = billOf(subscription, 'progressive', now, { start, end }, charges);
  const invoiceId = deriveUlid('inv', period.start, subscriptionId, 'progressive', String(billCount));
  return bill && { ...bill, invoiceId };
}

function closingBill(
  subscription: BillableSubscriptionWithCommitment,
  kind: BillKind,
  at: Instant,
  unused: readonly Charge[],
): Bill | null {
  const { period, items } = subscription;
  const { start } = period;
  const charges = [...items.flatMap((item) => chargesOwed(subscription, item, at, 'ends')), ...unused];
  const commitment = commitmentToSettle(subscription, at, charges, []);
  return billOf(subscription, kind, at, { start, end: at }, charges, commitment);
}

/** Returns the charges that items owe at `at` if the items continue after `at`. */
function owedBy(terms: BillableSubscription, items: readonly SubscriptionItem[], at: Instant): Charge[] {
  return items.flatMap((item) => chargesOwed(terms, item, at));
}

/** Returns charges for the usage up to `end` that is not billed yet. */
function usageOwed(subscription: BillableSubscription, end: Instant): Charge[] {
  return subscription.items
    .filter(({ price }) => price.metricId !== null)
    .flatMap((item) => chargesOwed(subscription, item, end, 'ends'));
}

/**
 * The kinds of bill of which a subscription has at most one at an instant. The invoice id of any other kind of bill includes the number of
 * bills so far.
 */
const KINDS_ONCE_PER_INSTANT: readonly BillKind[] = ['cycle', 'final'];

/**
 * Tells whether a charge is for the seats of a license type while no license is active. A charge for no seats is left out, so that it
 * causes no empty invoice.
 */
function isForNoSeats({ price, quantity }: Charge): boolean {
  return price.licenseTypeId !== undefined && quantity === '0';
}

function billOf(
  subscription: BillableSubscription,
  kind: BillKind,
  billedAt: Instant,
  period: Period,
  owed: readonly Charge[],
  commitment?: PlanCommitment,
): Bill | null {
  const charges = owed.filter((charge) => !isForNoSeats(charge));
  if (charges.length === 0 && !commitment) return null;
  return billWith(subscription, kind, billedAt, period, charges, commitment);
}

/** The bill with these charges, also if there are none. */
function billWith(
  { subscriptionId, customerId, currency, billCount }: BillableSubscription,
  kind: BillKind,
  billedAt: Instant,
  { start, end }: Period,
  charges: Charge[],
  commitment?: PlanCommitment,
): Bill {
  const more = KINDS_ONCE_PER_INSTANT.includes(kind) ? [] : [String(billCount)];
  return {
    invoiceId: deriveUlid('inv', billedAt, subscriptionId, kind, ...more),
    kind,
    subscriptionId,
    customerId,
    currency,
    billedAt,
    periodStart: start,
    periodEnd: end,
    charges,
    ...(commitment ? { commitment } : {}),
  };
}
