/**
 * Finds the subscriptions of a customer that have not ended. A read model implements this class. The read model can be out of date, so the
 * caller checks each subscription against its stream.
 */
export abstract class CustomerSubscriptionFinder {
  /** The ids of the customer's subscriptions that have not ended, oldest first. At most `limit` ids are returned. */
  abstract oldestLiveSubscriptionIds(
    workspaceId: string,
    customerId: string,
    limit: number,
  ): Promise<string[]>;
}
