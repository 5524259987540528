import type { DecimalString, Instant } from '#libs/kernel/core';
import {
  withSharedPrices,
  isRecurring,
  chargesOwed,
  periodContaining,
  periodWithNumber,
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

/** The minimum commitment of a subscription from `since` on. `minimum` is null if there is no minimum commitment. */
export interface CommitmentTerms extends Pick<SubscribedTerms, 'planId' | 'planVersion' | 'planName'> {
  readonly since: Instant;
  readonly minimum: DecimalString | null;
  /** The interval that the amount is for. If absent, it is for each billing period. */
  readonly interval?: RecurringCadence;
}

/** The minimum commitments of a subscription, and what it was charged, since its present billing period or commitment interval began. */
export interface CommitmentProgress {
  readonly since: Instant;
  /** The minimums in order of time. The last one is in force at present. */
  readonly minimums: readonly CommitmentTerms[];
  /** The recurring fees and usage that were billed or given back for time after `since`. */
  readonly billed: readonly Charge[];
}

/** The part of a subscription that its commitment is computed from, with its present period. */
export interface CommittedSubscription extends SubscriptionTerms {
  readonly period: BillingPeriod;
  readonly commitmentProgress: CommitmentProgress;
}

type PresentTerms = Pick<SubscribedTerms, 'planId' | 'planVersion' | 'planName' | 'minimumCommitment'>;

/** The terms after a boundary or a change. `period` contains the instant of the boundary or change. */
export interface NextTerms extends Pick<SubscribedTerms, 'billingInterval' | 'minimumCommitment'> {
  readonly period: Pick<BillingPeriod, 'start'>;
}

/**
 * Tells whether the boundary or change before these terms settles the commitment. The commitment is settled if its billing period or
 * interval ends there. It is also settled if the periods are counted again from there, or if the new commitment is for another interval.
 * Nothing is settled within a billing period, because usage is not cut there. A commitment that ended within the period is settled at the
 * period's end, together with the one in force then.
 */
export function settlesCommitment(before: CommittedSubscription, after: NextTerms): boolean {
  if (before.billingInterval !== after.billingInterval) return true;
  if (before.period.start === after.period.start) return false;
  const [present, next] = [before.commitmentProgress.minimums.at(-1)!, minimumOf(after)];
  if (present.interval === undefined || next.interval !== present.interval) return true;
  return periodContaining(before, present.interval, before.period.start).end <= before.period.end;
}

/**
 * Returns the commitment at the beginning `since` of a charged period. `before` has earlier charges, since fees in advance can be for the
 * new period.
 */
export function startCommitment(
  terms: PresentTerms,
  since: Instant,
  bill: Bill | null,
  before: readonly Charge[] = [],
): CommitmentProgress {
  return addBillToCommitment({ since, minimums: [minimumFrom(terms, since)], billed: before }, bill);
}

/**
 * Returns the commitment after a change of terms at `at` that does not settle it. If amount and interval are the same, the commitment
 * continues, whichever plan and version they come from.
 */
export function commitmentAfterChange(
  committed: CommitmentProgress,
  terms: PresentTerms,
  at: Instant,
  bill: Bill | null,
): CommitmentProgress {
  const [present, next] = [committed.minimums.at(-1)!, minimumOf(terms)];
  const minimums =
    present.minimum === next.minimum && present.interval === next.interval
      ? committed.minimums
      : [...committed.minimums.filter(({ since }) => since < at), minimumFrom(terms, at)];
  return addBillToCommitment({ ...committed, minimums }, bill);
}

/**
 * Adds the charges of a bill for the time of the commitment. One-time charges are not added, because they are for no period. Progressive
 * charges are not added, because a later bill charges the usage as a whole.
 */
export function addBillToCommitment(committed: CommitmentProgress, bill: Bill | null): CommitmentProgress {
  const charges = (bill?.charges ?? []).filter(
    ({ price, progressive }) => price.cadence !== 'one_time' && !progressive,
  );
  const billed = [...committed.billed, ...charges].filter(({ service }) => service.end > committed.since);
  return { ...committed, billed };
}

/**
 * Returns the commitment from its start to `end`, for the bill that settles it and has these charges. Undefined if there was no minimum in
 * that time. `kept` are the items that continue. Their fees in arrears are for this time, even if they are billed later.
 */
export function commitmentToSettle(
  { commitmentProgress: committed, period, ...terms }: CommittedSubscription,
  end: Instant,
  charges: readonly Charge[],
  kept: readonly SubscriptionItem[],
): PlanCommitment | undefined {
  const { since, minimums, billed } = committed;
  const billingPeriod = periodWithNumber(terms, terms.billingInterval, period.index);
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
    .flatMap((item) => chargesOwed(terms, item, end, 'ends'))
    .filter((charge) => !isBilled(charge))
    .map((charge) => ({ ...charge, service: { start: charge.service.start, end: charge.period.end } }));
  return {
    parts,
    service: { start: since, end },
    period: billingPeriod,
    counted: withSharedPrices([...billed, ...open]),
  };
}

function minimumFrom(terms: PresentTerms, since: Instant): CommitmentTerms {
  const { planId, planVersion, planName } = terms;
  return { planId, planVersion, planName, since, ...minimumOf(terms) };
}

function minimumOf({
  minimumCommitment,
}: Pick<PresentTerms, 'minimumCommitment'>): Pick<CommitmentTerms, 'minimum' | 'interval'> {
  return minimumCommitment === undefined ? { minimum: null } : readMinimum(minimumCommitment);
}

function isSame(a: Period, b: Period): boolean {
  return a.start === b.start && a.end === b.end;
}
