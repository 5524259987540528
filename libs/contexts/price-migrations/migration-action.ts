import type { Instant } from '#libs/kernel/core';
import { joinedPlanAfter, migrationTakesEffectAt, type Subscription } from '#libs/contexts/subscriptions';
import { isAtPeriodEnd, type PriceMigration } from './price-migration.js';

/**
 * The action of a migration for a subscription. `now`: the migration moves the subscription, or has already moved it. `later`: the
 * subscription waits for the end of its period. With the other values the subscription is not moved. `not_on_plan`: it has left the old
 * plan or has ended. `on_plan_since`: it came to the old plan after the migration was scheduled.
 */
export type MigrationAction = 'now' | 'later' | 'not_on_plan' | 'on_plan_since';

/**
 * Returns the action of a migration for a subscription. The caller must have applied all due changes of the subscription. `amendmentId` is
 * the id of the amendment that moves the subscription. `waitedUntil` is the end of the period that the subscription waited for; null if it
 * has not waited. A subscription that already left the old plan is not moved, because its customer may have agreed on other terms. With a
 * move at the end of the period, a subscription that joined the old plan after the scheduling is not moved either. A paused subscription
 * has no period to wait for, so it is moved at once. If a subscription could not be moved at the end of its period, the migration tries
 * once more.
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
  return migrationTakesEffectAt(change, subscription, period.end) ? 'later' : 'now';
}
