import { addSeconds, deriveUlid, type Instant } from '#libs/kernel/core';
import { oneTimeCharges, owed, type Charge, type Period, type PlanCommitment } from '#libs/rating';
import { commitmentUntil, isSettled, type Committed, type TermsAfter } from './commitment-progress.js';
import type { Bill, BillingPeriod, BillKind, SubscriptionAgreement, SubscriptionItem } from './events.js';

/** What bills are made of: a subscription, seen from its present period. */
export interface Billable extends Pick<
  SubscriptionAgreement,
  'subscriptionId' | 'customerId' | 'currency' | 'anchor' | 'timezone' | 'billingInterval' | 'items'
> {
  readonly period: BillingPeriod;
  readonly billCount: number;
}

/** The same with what it has committed to: what the bill that ends a period is made of. */
export interface BillableToItsEnd extends Billable, Pick<SubscriptionAgreement, 'minimumCommitment'> {
  readonly committed: Committed;
}

/** The bill of the first period that is charged: what is paid in advance, and once. Null if that is nothing. */
export function firstBill(subscription: Billable): Bill | null {
  const { period, items } = subscription;
  const charges = [...owedBy(subscription, items, period.start), ...oneTimeCharges(items, period.start)];
  return billOf(subscription, 'cycle', period.start, period, charges);
}

/** The bill of the period that begins as the subscription goes on after a pause: what is paid in advance. */
export function resumptionBill(subscription: Billable): Bill | null {
  const { period, items } = subscription;
  return billOf(subscription, 'resume', period.start, period, owedBy(subscription, items, period.start));
}

/** The bill of the boundary at which the present period ends, for a subscription that goes on beyond it. */
export function cycleBill(subscription: BillableToItsEnd): Bill | null {
  const { period, items } = subscription;
  const { end } = period;
  const charges = owedBy(subscription, items, end);
  const commitment = isSettled(subscription, { ...subscription, period: { start: end } })
    ? commitmentUntil(subscription, end, charges, items)
    : undefined;
  return billOf(subscription, 'cycle', end, period, charges, commitment);
}

/** The last bill, of a subscription that ends at `at`: what it owes up to there, less what is `unused` from there on. */
export function finalBill(
  subscription: BillableToItsEnd,
  at: Instant,
  unused: readonly Charge[],
): Bill | null {
  return closingBill(subscription, 'final', at, unused);
}

/** The last bill where what is in arrears is waived: it only gives back what is `unused`. */
export function waivingBill(subscription: Billable, at: Instant, unused: readonly Charge[]): Bill | null {
  const { start } = subscription.period;
  const bill = billOf(subscription, 'final', at, { start, end: at }, [...unused]);
  return bill && { ...bill, waives: true };
}

/** The bill of a pause at `at`: what it owes up to there, less what is `unused` from there on. */
export function pauseBill(
  subscription: BillableToItsEnd,
  at: Instant,
  unused: readonly Charge[],
): Bill | null {
  return closingBill(subscription, 'pause', at, unused);
}

/** A change of terms, as far as it matters for what is charged. */
export interface BilledChange {
  readonly at: Instant;
  /** What goes on as it was, what ends, and what begins. */
  readonly kept: readonly SubscriptionItem[];
  readonly removed: readonly SubscriptionItem[];
  readonly added: readonly SubscriptionItem[];
  /** Up to where what ends in arrears is charged by the old terms. */
  readonly endOf: (item: SubscriptionItem) => Instant;
  /** The terms from then on, and whether periods are counted anew. */
  readonly after: Billable & TermsAfter;
  readonly restarts: boolean;
  /** What is charged in advance of what begins, and given back of what ends. */
  readonly charges: readonly Charge[];
  readonly refunds: readonly Charge[];
}

/**
 * The bill of a change: old fees given back and new fees charged for the rest of their periods, charges in arrears that end, and new
 * one-time charges. If the present period ends at that instant it is the boundary's bill. What was committed to is billed where that ends.
 */
export function amendmentBill(before: BillableToItsEnd, change: BilledChange): Bill | null {
  const { at, kept, removed, added, after, restarts, endOf } = change;
  const { period } = before;
  const isBoundary = at === period.end;
  const charges = [
    ...change.refunds,
    ...change.charges,
    ...removed.flatMap((item) => owed(before, item, endOf(item), 'ends')),
    ...owedBy(after, kept, at),
    ...newOneTimeCharges(before, added, at),
  ];
  const of = restarts && !isBoundary ? after.period : period;
  const commitment = isSettled(before, after) ? commitmentUntil(before, at, charges, kept) : undefined;
  return billOf(before, isBoundary ? 'cycle' : 'amendment', at, of, charges, commitment);
}

/** The bill of a change while nothing is charged: what is new and charged once. */
export function amendmentWhilePausedBill(
  before: Billable,
  added: readonly SubscriptionItem[],
  at: Instant,
): Bill | null {
  return billOf(before, 'amendment', at, { start: at, end: at }, newOneTimeCharges(before, added, at));
}

/** What is charged once is not charged again in another version. */
function newOneTimeCharges(before: Billable, added: readonly SubscriptionItem[], at: Instant): Charge[] {
  const had = new Set(before.items.map(({ price }) => price.priceId));
  return oneTimeCharges(
    added.filter(({ price }) => !had.has(price.priceId)),
    at,
  );
}

/**
 * A bill of the usage up to `through`, within the present period, of the prices that may be billed in parts. What it
 * takes the next bills leave out. Null if there is no stretch of time to bill.
 */
export function usageBill(
  subscription: Billable,
  through: Instant,
  invoiceId: string,
  priceIds: readonly string[],
): Bill | null {
  const charges = usageOwed(subscription, through).filter(({ price }) => priceIds.includes(price.priceId));
  const start = charges.map(({ service }) => service.start).sort()[0] ?? through;
  const bill = billOf(subscription, 'interim', through, { start, end: through }, charges);
  return bill && { ...bill, invoiceId };
}

/** Each has to look at all before it. */
const MAX_PROGRESSIVE_BILLS = 100;

/**
 * A bill of all that was used in the present period up to and with `now`, which leaves out what the ones before it charged. It is
 * charged as a whole where its time ends, so it takes no time from the period. Null if there is nothing that is metered, or so many were
 * made that the rest waits for the end of the period.
 */
export function progressiveBill(subscription: Billable, now: Instant): Bill | null {
  const { subscriptionId, period, billCount } = subscription;
  // Where a clock stands still, things happen at the very instant.
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
  subscription: BillableToItsEnd,
  kind: BillKind,
  at: Instant,
  unused: readonly Charge[],
): Bill | null {
  const { period, items } = subscription;
  const { start } = period;
  const charges = [...items.flatMap((item) => owed(subscription, item, at, 'ends')), ...unused];
  const commitment = commitmentUntil(subscription, at, charges, []);
  return billOf(subscription, kind, at, { start, end: at }, charges, commitment);
}

/** What items owe at `at`, as they go on. */
function owedBy(terms: Billable, items: readonly SubscriptionItem[], at: Instant): Charge[] {
  return items.flatMap((item) => owed(terms, item, at));
}

/** What was used up to `end` and is not billed. */
function usageOwed(subscription: Billable, end: Instant): Charge[] {
  return subscription.items
    .filter(({ price }) => price.metricId !== null)
    .flatMap((item) => owed(subscription, item, end, 'ends'));
}

/** Periods are billed, and subscriptions end, once; what can happen several times at one instant is counted too. */
const ONCE: readonly BillKind[] = ['cycle', 'final'];

function billOf(
  { subscriptionId, customerId, currency, billCount }: Billable,
  kind: BillKind,
  billedAt: Instant,
  { start, end }: Period,
  charges: Charge[],
  commitment?: PlanCommitment,
): Bill | null {
  if (charges.length === 0 && !commitment) return null;
  const more = ONCE.includes(kind) ? [] : [String(billCount)];
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
