import type { Instant } from '#libs/kernel/core';
import type { AllowanceInterval } from '#libs/contexts/credits';
import type { Subscription } from '#libs/contexts/subscriptions';
import { periodContaining, type Period } from '#libs/rating';

const CADENCES = { month: 'monthly', year: 'annual' } as const;

/** The fields of a subscription that determine its allowances. */
export type AllowanceHolder = Pick<
  Subscription,
  'phase' | 'anchor' | 'timezone' | 'billingInterval' | 'cancelAt' | 'plannedPause' | 'amendments'
> & { readonly period: Period };

/**
 * Returns the interval of an allowance that contains an instant. If `every` is `period`, the interval is the billing period or trial of the
 * subscription. If `every` is `month` or `year`, the interval is counted from the subscription's anchor in its time zone. Returns undefined
 * if the subscription gives no allowance at the instant. Returns undefined also if the period or trial is over, and the end of the trial or
 * a planned change of the subscription is due and not yet applied.
 */
export function allowanceIntervalAt(
  every: AllowanceInterval,
  subscription: AllowanceHolder,
  at: Instant,
): Period | undefined {
  const period = currentPeriod(subscription, at);
  if (period === undefined || every === 'period') return period;
  const { anchor, timezone } = subscription;
  const { start, end } = periodContaining({ anchor, timezone }, CADENCES[every], at);
  return { start, end };
}

/**
 * Returns the billing period or trial at an instant. A renewal that is due is treated as applied, so that allowances do not wait for
 * billing. Returns undefined if a planned change of the subscription is due together with the renewal, or if the trial is over.
 */
function currentPeriod(subscription: AllowanceHolder, at: Instant): Period | undefined {
  const { phase, period, anchor, timezone, billingInterval } = subscription;
  if ((phase !== 'trialing' && phase !== 'active') || at < period.start) return undefined;
  if (at < period.end) return { start: period.start, end: period.end };
  if (phase === 'trialing' || hasDueChange(subscription, at)) return undefined;
  const { start, end } = periodContaining({ anchor, timezone }, billingInterval, at);
  return { start, end };
}

/**
 * Returns true if at least one planned change is due at the instant `at`. The planned changes are the cancellation, the pause and the
 * amendments. A due change can change the plan or end the allowance.
 */
function hasDueChange({ cancelAt, plannedPause, amendments }: AllowanceHolder, at: Instant): boolean {
  const isDue = (instant: Instant | null | undefined): boolean =>
    instant !== null && instant !== undefined && instant <= at;
  return (
    isDue(cancelAt) ||
    isDue(plannedPause?.pauseAt) ||
    amendments.some(({ status, effectiveAt }) => status === 'scheduled' && isDue(effectiveAt))
  );
}
