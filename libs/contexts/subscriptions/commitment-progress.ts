import type { DecimalString, Instant } from '#libs/kernel/core';
import {
  countedOnce,
  isRecurring,
  owed,
  periodAt,
  periodOf,
  readMinimum,
  segmentsOf,
  type Charge,
  type CommittedPart,
  type Period,
  type PlanCommitment,
  type RecurringCadence,
  type SubscriptionTerms,
} from '#libs/rating';
import type { Bill, BillingPeriod, SubscribedTerms, SubscriptionItem } from './events.js';

/** A least amount that a subscription commits to from `since` on; null for none. */
export interface CommittedFrom extends Pick<SubscribedTerms, 'planId' | 'planVersion' | 'planName'> {
  readonly since: Instant;
  readonly minimum: DecimalString | null;
  /** What the amount is for; absent: each billing period. */
  readonly interval?: RecurringCadence;
}

/** What a subscription has committed to, and been charged, since what it commits to at present began: a billing period, or an interval. */
export interface Committed {
  readonly since: Instant;
  /** In the order of time; the last holds at present. */
  readonly minimums: readonly CommittedFrom[];
  /** Recurring fees and usage that were billed, and given back, for time since then. */
  readonly billed: readonly Charge[];
}

/** What a commitment is reckoned from: a subscription, seen from its present period. */
export interface Committing extends SubscriptionTerms {
  readonly period: BillingPeriod;
  readonly committed: Committed;
}

type PresentTerms = Pick<SubscribedTerms, 'planId' | 'planVersion' | 'planName' | 'minimumCommitment'>;

/** The terms that follow on a boundary or a change, with the period that is present then. */
export interface TermsAfter extends Pick<SubscribedTerms, 'billingInterval' | 'minimumCommitment'> {
  readonly period: Pick<BillingPeriod, 'start'>;
}

/**
 * Whether what is committed to is settled where these terms follow: its billing period or interval ends there, periods are counted anew,
 * or what holds from there on is for another interval. Within a billing period nothing is settled, as usage is not cut: what ended there
 * is settled with what holds at the period's end.
 */
export function isSettled(before: Committing, after: TermsAfter): boolean {
  if (before.billingInterval !== after.billingInterval) return true;
  if (before.period.start === after.period.start) return false;
  const [present, next] = [before.committed.minimums.at(-1)!, minimumOf(after)];
  if (present.interval === undefined || next.interval !== present.interval) return true;
  return periodAt(before, present.interval, before.period.start).end <= before.period.end;
}

/** As a period that is charged begins at `since`. `before`: what was billed in advance may serve it. */
export function committedSince(
  terms: PresentTerms,
  since: Instant,
  bill: Bill | null,
  before: readonly Charge[] = [],
): Committed {
  return withBill({ since, minimums: [minimumFrom(terms, since)], billed: before }, bill);
}

/** After a change of terms at `at`, while it goes on. The same amount goes on, of whatever version of whatever plan. */
export function committedAfter(
  committed: Committed,
  terms: PresentTerms,
  at: Instant,
  bill: Bill | null,
): Committed {
  const [present, next] = [committed.minimums.at(-1)!, minimumOf(terms)];
  const minimums =
    present.minimum === next.minimum && present.interval === next.interval
      ? committed.minimums
      : [...committed.minimums.filter(({ since }) => since < at), minimumFrom(terms, at)];
  return withBill({ ...committed, minimums }, bill);
}

/** With what a bill charges for its time. What is charged once is of no period, and what is progressive is charged again as a whole. */
export function withBill(committed: Committed, bill: Bill | null): Committed {
  const charges = (bill?.charges ?? []).filter(
    ({ price, progressive }) => price.cadence !== 'one_time' && !progressive,
  );
  const billed = [...committed.billed, ...charges].filter(({ service }) => service.end > committed.since);
  return { ...committed, billed };
}

/**
 * What is committed to from its start to `end`, where a bill with these charges ends it; undefined if that is nothing.
 * `kept`: items that go on. Their fees in arrears count for this time, also if they are billed later.
 */
export function commitmentUntil(
  { committed, period, ...terms }: Committing,
  end: Instant,
  charges: readonly Charge[],
  kept: readonly SubscriptionItem[],
): PlanCommitment | undefined {
  const { since, minimums, billed } = committed;
  const billingPeriod = periodOf(terms, terms.billingInterval, period.index);
  const parts = minimums.flatMap((one, i): CommittedPart[] => {
    const { since: start, minimum, interval, planId, planVersion, planName } = one;
    const part = { start, end: minimums[i + 1]?.since ?? end };
    if (minimum === null) return [];
    const of = { planId, planVersion, planName, minimum, ...(interval ? { interval } : {}) };
    return segmentsOf(terms, interval ?? terms.billingInterval, part).map((segment) => ({
      ...{ ...segment.service, ...of },
      ...(isSame(segment.period, billingPeriod) ? {} : { period: segment.period }),
    }));
  });
  if (parts.length === 0) return undefined;
  const isBilled = ({ price }: Charge) => charges.some((charge) => charge.price.priceId === price.priceId);
  const open = kept
    .filter(({ price }) => isRecurring(price.cadence) && price.metricId === null)
    .flatMap((item) => owed(terms, item, end, 'ends'))
    .filter((charge) => !isBilled(charge))
    .map((charge) => ({ ...charge, service: { start: charge.service.start, end: charge.period.end } }));
  return {
    parts,
    service: { start: since, end },
    period: billingPeriod,
    counted: countedOnce([...billed, ...open]),
  };
}

function minimumFrom(terms: PresentTerms, since: Instant): CommittedFrom {
  const { planId, planVersion, planName } = terms;
  return { planId, planVersion, planName, since, ...minimumOf(terms) };
}

function minimumOf({
  minimumCommitment,
}: Pick<PresentTerms, 'minimumCommitment'>): Pick<CommittedFrom, 'minimum' | 'interval'> {
  return minimumCommitment === undefined ? { minimum: null } : readMinimum(minimumCommitment);
}

function isSame(a: Period, b: Period): boolean {
  return a.start === b.start && a.end === b.end;
}
