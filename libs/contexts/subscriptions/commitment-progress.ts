import type { DecimalString, Instant } from '#libs/kernel/core';
import {
  replaceRepeatedPrices,
  isRecurring,
  chargesOwed,
  periodContaining,
  periodWithNumber,
  minimumAndIntervalOf,
  divideAtPeriodBoundaries,
  type Charge,
  type CommittedPart,
  type Period,
  type PlanCommitment,
  type RecurringCadence,
  type SubscriptionTerms,
} from '#libs/rating';
import type { Bill, BillingPeriod, SubscribedTerms, SubscriptionItem } from './events.js';

/** The minimum commitment of a subscription from the instant `since` on. `minimum` is null if there is no minimum commitment. */
export interface CommitmentTerms extends Pick<
  SubscribedTerms,
  'planId' | 'planVersion' | 'planName' | 'planNameTranslations'
> {
  readonly since: Instant;
  readonly minimum: DecimalString | null;
  /** The interval for which the minimum amount applies. If absent, the minimum amount applies to each billing period. */
  readonly interval?: RecurringCadence;
}

/** The minimum commitments and charges of a subscription since the start of its present billing period or commitment interval. */
export interface CommitmentProgress {
  readonly since: Instant;
  /** The minimum commitments, ordered by time. The last minimum commitment in the list applies at present. */
  readonly minimums: readonly CommitmentTerms[];
  /** The recurring fees and usage that were billed or given back for time after `since`. */
  readonly billed: readonly Charge[];
}

/** The data of a subscription from which its commitment is computed, with its present period. */
export interface CommittedSubscription extends SubscriptionTerms {
  readonly period: BillingPeriod;
  readonly commitmentProgress: CommitmentProgress;
}

type PresentTerms = Pick<
  SubscribedTerms,
  'planId' | 'planVersion' | 'planName' | 'planNameTranslations' | 'minimumCommitment'
>;

/**
 * The terms of a subscription after the end of a billing period or after a change. `period` is the billing period in which these terms
 * begin.
 */
export interface NextTerms extends Pick<SubscribedTerms, 'billingInterval' | 'minimumCommitment'> {
  readonly period: Pick<BillingPeriod, 'start'>;
}

/**
 * Returns true if the bill between the terms `before` and `after` settles the minimum commitment. This bill is made at a period's end or at
 * a change of terms. A bill that settles a commitment charges the amount that is missing to the minimum. The commitment is settled if its
 * billing period or commitment interval ends when the terms `after` begin. The commitment is also settled if the periods are counted anew,
 * or if the new commitment is for another interval. No commitment is settled within a billing period, because usage at continuing prices is
 * billed only at the period's end. A commitment that ended within the period is settled at the period's end, together with the commitment
 * that applies then.
 */
export function isCommitmentSettled(before: CommittedSubscription, after: NextTerms): boolean {
  if (before.billingInterval !== after.billingInterval) return true;
  if (before.period.start === after.period.start) return false;
  const [present, next] = [before.commitmentProgress.minimums.at(-1)!, minimumOf(after)];
  if (present.interval === undefined || next.interval !== present.interval) return true;
  return periodContaining(before, present.interval, before.period.start).end <= before.period.end;
}

/**
 * Returns the commitment at `since`, the beginning of a charged period. `before` contains earlier charges, because fees in advance can be
 * for the new period.
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
 * Returns the commitment after a change of terms at `at`, if the change does not settle the commitment. If the new terms have the same
 * minimum amount and interval, the commitment continues, even with another plan or version.
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
 * Adds to a commitment the bill's charges whose time ends after the start of the commitment. One-time charges are not added, because they
 * are for no period. Progressive charges are not added, because a later bill charges the usage as a whole.
 */
export function addBillToCommitment(committed: CommitmentProgress, bill: Bill | null): CommitmentProgress {
  const charges = (bill?.charges ?? []).filter(
    ({ price, progressive }) => price.cadence !== 'one_time' && !progressive,
  );
  const billed = [...committed.billed, ...charges].filter(({ service }) => service.end > committed.since);
  return { ...committed, billed };
}

/**
 * Returns the commitment from its start to `end`, for the bill that settles the commitment with `charges`. Undefined if no minimum
 * commitment applied in that time. `kept` are the items that continue. Fees in arrears of the `kept` items count towards the commitment,
 * even if they are billed later.
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
    const { since: start, minimum, interval, planId, planVersion, planName, planNameTranslations } = one;
    const part = { start, end: minimums[i + 1]?.since ?? end };
    if (minimum === null) return [];
    const of = {
      planId,
      planVersion,
      planName,
      minimum,
      ...(planNameTranslations === undefined ? {} : { planNameTranslations }),
      ...(interval ? { interval } : {}),
    };
    return divideAtPeriodBoundaries(terms, interval ?? terms.billingInterval, part).map((segment) => ({
      ...segment.service,
      ...of,
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
    counted: replaceRepeatedPrices([...billed, ...open]),
  };
}

function minimumFrom(terms: PresentTerms, since: Instant): CommitmentTerms {
  const { planId, planVersion, planName, planNameTranslations } = terms;
  return {
    planId,
    planVersion,
    planName,
    since,
    ...(planNameTranslations === undefined ? {} : { planNameTranslations }),
    ...minimumOf(terms),
  };
}

function minimumOf({
  minimumCommitment,
}: Pick<PresentTerms, 'minimumCommitment'>): Pick<CommitmentTerms, 'minimum' | 'interval'> {
  return minimumCommitment === undefined ? { minimum: null } : minimumAndIntervalOf(minimumCommitment);
}

function isSame(a: Period, b: Period): boolean {
  return a.start === b.start && a.end === b.end;
}
