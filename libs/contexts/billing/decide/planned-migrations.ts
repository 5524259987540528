import type { Instant } from '#libs/kernel/core';
import type { PlannedMigration, Subscription } from '#libs/contexts/subscriptions';

/**
 * Finds the price migrations that will move a subscription. The context `price-migrations` implements it, and each app binds it.
 * It reads streams, so the result includes every migration that was scheduled before the call.
 */
export abstract class PlannedMigrations {
  /**
   * Returns the changes in the order in which they were scheduled. With `until`, it returns only changes that can take effect up to that
   * instant.
   */
  abstract plannedFor(
    workspaceId: string,
    subscription: Subscription,
    until?: Instant,
  ): Promise<readonly PlannedMigration[]>;
}
