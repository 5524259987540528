import type { Instant } from '#libs/kernel/core';
import type { RequestedAmendment } from './events.js';
import type { Subscription } from './subscription.js';

/** A move to another plan that a price migration has planned. */
export interface PlannedMigration {
  /** The plan that the subscription leaves. The move is dropped if the subscription is on another plan by then. */
  readonly fromPlanId: string;
  /** The time of the move: an instant, or `period_end` for the first end of a period after `plannedAt`. */
  readonly effectiveAt: string;
  /** The time at which the price migration was scheduled. */
  readonly plannedAt: Instant;
  /** The change of terms that moves the subscription. */
  readonly amendment: RequestedAmendment;
}

/** Returns the first planned move that takes effect at the instant `at`. At `at`, a billing period, a trial or a pause ends. */
export function migrationTakingEffectAt(
  planned: readonly PlannedMigration[],
  subscription: Subscription,
  at: Instant,
): RequestedAmendment | undefined {
  return planned.find((change) => migrationTakesEffectAt(change, subscription, at))?.amendment;
}

/**
 * Tells whether a planned move will take effect at `at`, unless another change happens before. A move at `period_end` follows the end of
 * the period if that end changes. If the subscription cannot be moved at the end of its period, it is renewed, and later renewals do not
 * try again.
 */
export function migrationTakesEffectAt(
  change: Omit<PlannedMigration, 'amendment'> & { amendment: Pick<RequestedAmendment, 'amendmentId'> },
  subscription: Subscription,
  at: Instant,
): boolean {
  const { fromPlanId, effectiveAt, plannedAt, amendment } = change;
  const { planId, phase, period, amendments } = subscription;
  if (planId !== fromPlanId) return false;
  if (amendments.some(({ amendmentId }) => amendmentId === amendment.amendmentId)) return false;
  if (effectiveAt !== 'period_end') return effectiveAt === at;
  if (phase === 'paused' || at !== period.end || at <= plannedAt) return false;
  return !joinedPlanAfter(subscription, plannedAt) && isFirstEndAfter(subscription, plannedAt);
}

/** Tells whether the subscription came to its plan after an instant, because it was created or changed its plan later. */
export function joinedPlanAfter({ createdAt, planId, amendments }: Subscription, instant: Instant): boolean {
  return (
    createdAt > instant ||
    amendments.some(
      ({ status, kind, change, effectiveAt }) =>
        status === 'applied' && kind !== 'migrate' && change.plan?.planId === planId && effectiveAt > instant,
    )
  );
}

/**
 * Tells whether the present period is the first period that ends after `plannedAt`. The present period is the first one if it began at or
 * before `plannedAt`. The present period is also the first one if periods were counted anew after `plannedAt`, so that their numbers begin
 * at zero or below.
 */
function isFirstEndAfter({ phase, period }: Subscription, plannedAt: Instant): boolean {
  return phase !== 'active' || period.start <= plannedAt || period.index <= 0;
}
