import type { Instant } from '#libs/kernel/core';
import type { PlannedPriceChange, Subscription } from '#libs/contexts/subscriptions';

/**
 * Says which price migrations are to move a subscription. Implemented by the price migrations, and bound where an app is put together.
 * It answers from streams: what was scheduled before the question is in the answer.
 */
export abstract class PlannedPriceChanges {
  /** In the order in which they were scheduled. `until`: only what can take effect up to then; absent: all. */
  abstract of(
    workspaceId: string,
    subscription: Subscription,
    until?: Instant,
  ): Promise<readonly PlannedPriceChange[]>;
}
