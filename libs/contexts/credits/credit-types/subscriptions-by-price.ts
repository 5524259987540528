/** Finds subscriptions that pay for prices. A read model implements it, so it can be behind by some milliseconds. */
export abstract class SubscriptionsByPrice {
  /** Returns a subscription that has not ended and has one of these prices. Undefined if there is none. */
  abstract find(
    workspaceId: string,
    priceIds: readonly string[],
  ): Promise<{ readonly subscriptionId: string; readonly priceId: string } | undefined>;
}
