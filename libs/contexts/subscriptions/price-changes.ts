import type { Instant } from '#libs/kernel/core';
import type { RequestedAmendment } from './events.js';
import type { Subscription } from './subscription.js';

/** A move to another plan that a price migration has planned. */
export interface PlannedPriceChange {
  readonly fromPlanId: string;
  /** An instant; or `period_end`: the first end of a period after `plannedAt`. */
  readonly effectiveAt: string;
  readonly plannedAt: Instant;
  readonly amendment: RequestedAmendment;
}

/** The first of the planned changes that takes effect at `at`, where a period, a trial or a pause of the subscription ends. */
export function priceChangeAt(
  planned: readonly PlannedPriceChange[],
  subscription: Subscription,
  at: Instant,
): RequestedAmendment | undefined {
  return planned.find((change) => takesEffectAt(change, subscription, at))?.amendment;
}

/**
 * Whether a planned change moves the subscription at `at`, as far as is known now. One for the period's end follows the period.
 * Whoever could not be moved there is renewed, and is not tried again at every renewal.
 */
export function takesEffectAt(
  change: Omit<PlannedPriceChange, 'amendment'> & { amendment: Pick<RequestedAmendment, 'amendmentId'> },
  subscription: Subscription,
  at: Instant,
): boolean {
  const { fromPlanId, effectiveAt, plannedAt, amendment } = change;
  const { planId, phase, period, amendments } = subscription;
  if (planId !== fromPlanId) return false;
  if (amendments.some(({ amendmentId }) => amendmentId === amendment.amendmentId)) return false;
  if (effectiveAt !== 'period_end') return effectiveAt === at;
  if (phase === 'paused' || at !== period.end || at <= plannedAt) return false;
  return !isOnPlanSince(subscription, plannedAt) && isTurn(subscription, plannedAt);
}

/** Whether the subscription came to its plan after an instant: it was made later, or went over to the plan by itself. */
export function isOnPlanSince({ createdAt, planId, amendments }: Subscription, instant: Instant): boolean {
  return (
    createdAt > instant ||
    amendments.some(
      ({ status, kind, change, effectiveAt }) =>
        status === 'applied' && kind !== 'migrate' && change.plan?.planId === planId && effectiveAt > instant,
    )
  );
}

/** The present period was there at that instant, or its periods are counted anew since: their numbers begin at zero or below. */
function isTurn({ phase, period }: Subscription, plannedAt: Instant): boolean {
  return phase !== 'active' || period.start <= plannedAt || period.index <= 0;
}
