import type { Instant } from '#libs/kernel/core';
import type { PlannedMigration, Subscription } from '#libs/contexts/subscriptions';

/**
 * Finds the price migrations that will move a subscription. The context `price-migrations` implements this class, and each app binds it.
 * This class reads streams, so the result includes every price migration that was scheduled before the call.
 */
export abstract class PlannedMigrationFinder {
  /**
   * Returns the moves of the subscription to other plans, in the order in which the price migrations were scheduled. With `until`, only
   * moves that can take effect up to that instant are returned.
   */
  abstract plannedMigrationsOf(
    workspaceId: string,
    subscription: Subscription,
    until?: Instant,
  ): Promise<readonly PlannedMigration[]>;
}
