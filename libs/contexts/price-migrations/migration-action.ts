import type { Instant } from '#libs/kernel/core';
import { isOnPlanSince, takesEffectAt, type Subscription } from '#libs/contexts/subscriptions';
import { isPeriodEnd, type PriceMigration } from './price-migration.js';

/**
 * What a migration does with a subscription: moves it `now`, or finds that it has; waits for the end of its period (`later`); or leaves
 * it alone.
 */
export type MigrationAction = 'now' | 'later' | 'not_on_plan' | 'on_plan_since';

/**
 * The turn of a subscription for which nothing is due. `amendmentId`: of the amendment that moves it; `waitedUntil`: when its period was to
 * end, null if it has not waited. A subscription that changed to the plan without the migration may have agreed on more, and is left alone.
 * So is one that came to the old plan after a migration for the period's end was scheduled. A paused one has no period to wait for. One
 * that could not be moved as its period ended is tried once more.
 */
export function migrationActionOf(
  subscription: Subscription,
  migration: Pick<PriceMigration, 'fromPlanId' | 'effectiveAt' | 'createdAt'>,
  { amendmentId, waitedUntil }: { amendmentId: string; waitedUntil: Instant | null },
): MigrationAction {
  const { phase, planId, period, amendments } = subscription;
  const { fromPlanId, effectiveAt, createdAt: plannedAt } = migration;
  if (amendments.some((one) => one.amendmentId === amendmentId)) return 'now';
  if (phase === 'canceled' || planId !== fromPlanId) return 'not_on_plan';
  if (!isPeriodEnd(migration)) return 'now';
  if (isOnPlanSince(subscription, plannedAt)) return 'on_plan_since';
  if (waitedUntil !== null && period.start >= waitedUntil) return 'now';
  const change = { fromPlanId, effectiveAt, plannedAt, amendment: { amendmentId } };
  return takesEffectAt(change, subscription, period.end) ? 'later' : 'now';
}
