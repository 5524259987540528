import type { DecimalString, Instant } from '#libs/core';
import {
  isRecurring,
  lengthOf,
  owed,
  periodOf,
  type Charge,
  type CommittedPart,
  type PlanCommitment,
  type SubscriptionTerms,
} from '#libs/rating';
import type { Bill, BillingPeriod, SubscribedTerms, SubscriptionItem } from './events.js';

/** A least amount that a subscription commits to from `since` on; null for none. */
export interface CommittedFrom extends Pick<SubscribedTerms, 'planId' | 'planVersion' | 'planName'> {
  readonly since: Instant;
  readonly minimum: DecimalString | null;
}

/** What a subscription has committed to, and been charged, since its present period began. */
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

/** As a period that is charged begins at `since`. `before`: what was billed in advance may serve it. */
export function committedSince(
  terms: PresentTerms,
  since: Instant,
  bill: Bill | null,
  before: readonly Charge[] = [],
): Committed {
  return withBill({ since, minimums: [minimumFrom(terms, since)], billed: before }, bill);
}

/** After a change of terms at `at`, within the period. The same amount goes on, of whatever version of whatever plan. */
export function committedAfter(
  committed: Committed,
  terms: PresentTerms,
  at: Instant,
  bill: Bill | null,
): Committed {
  const { minimumCommitment = null } = terms;
  const minimums =
    committed.minimums.at(-1)?.minimum === minimumCommitment
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
 * What is committed to from the period's start to `end`, where a bill with these charges ends it; undefined if that is nothing.
 * `kept`: items that go on. Their fees in arrears count for this time, also if they are billed later.
 */
export function commitmentUntil(
  { committed, period, ...terms }: Committing,
  end: Instant,
  charges: readonly Charge[],
  kept: readonly SubscriptionItem[],
): PlanCommitment | undefined {
  const { since, minimums, billed } = committed;
  const parts = minimums.flatMap((one, i): CommittedPart[] => {
    const { since: start, minimum, planId, planVersion, planName } = one;
    const part = { start, end: minimums[i + 1]?.since ?? end };
    if (minimum === null || lengthOf(part) <= 0) return [];
    return [{ ...part, planId, planVersion, planName, minimum }];
  });
  if (parts.length === 0) return undefined;
  const isBilled = ({ price }: Charge) =>
    charges.some((charge) => charge.price.priceId === price.priceId && charge.service.end === end);
  const open = kept
    .filter(({ price }) => price.timing === 'in_arrears')
    .filter(({ price }) => isRecurring(price.cadence) && price.metricId === null)
    .flatMap((item) => owed(terms, item, end, 'ends'))
    .filter((charge) => !isBilled(charge))
    .map((charge) => ({ ...charge, service: { start: charge.service.start, end: charge.period.end } }));
  return {
    parts,
    service: { start: since, end },
    period: periodOf(terms, terms.billingInterval, period.index),
    counted: [...billed, ...open],
  };
}

function minimumFrom(
  { planId, planVersion, planName, minimumCommitment }: PresentTerms,
  since: Instant,
): CommittedFrom {
  return { planId, planVersion, planName, since, minimum: minimumCommitment ?? null };
}
