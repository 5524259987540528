import type { Instant } from '#libs/kernel/core';
import { joinedPlanAfter, takesEffectAt, type Subscription } from '#libs/contexts/subscriptions';
import { isAtPeriodEnd, type PriceMigration } from './price-migration.js';

/**
 * The action of a migration for a subscription. `now`: the migration moves it, or has moved it already. `later`: the subscription waits for
 * the end of its period. The other values are reasons not to move it.
 */
export type MigrationAction = 'now' | 'later' | 'not_on_plan' | 'on_plan_since';

/**
 * Returns the action of a migration for a subscription that has nothing due. `amendmentId` is the id of the amendment that moves it.
 * `waitedUntil` is the end of the period that it waited for, or null if it has not waited. A subscription that already left the old plan is
 * not moved, because its customer may have agreed on other terms. If the migration is for the end of the period, a subscription that came
 * to the old plan after the scheduling is not moved either. A paused subscription has no period to wait for, so it is moved now. If a
 * subscription could not be moved when its period ended, the migration tries once more.
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
  if (!isAtPeriodEnd(migration)) return 'now';
  if (joinedPlanAfter(subscription, plannedAt)) return 'on_plan_since';
  if (waitedUntil !== null && period.start >= waitedUntil) return 'now';
  const change = { fromPlanId, effectiveAt, plannedAt, amendment: { amendmentId } };
  return takesEffectAt(change, subscription, period.end) ? 'later' : 'now';
}
