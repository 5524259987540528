/**
 * Finds subscriptions by their prices. A read model implements this class, so a change of a subscription can be missing for some
 * milliseconds.
 */
export abstract class SubscriptionByPriceFinder {
  /** Returns a subscription that has not ended and has one of these prices. Returns undefined if no subscription has one of the prices. */
  abstract findSubscriptionWithPrice(
    workspaceId: string,
    priceIds: readonly string[],
  ): Promise<{ readonly subscriptionId: string; readonly priceId: string } | undefined>;
}
