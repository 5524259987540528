/** Finds the subscriptions of a customer that have not ended. A read model implements it. The caller checks each against its stream. */
export abstract class CustomerSubscriptions {
  /** The ids of the `limit` oldest, oldest first. */
  abstract oldestLiveIds(workspaceId: string, customerId: string, limit: number): Promise<string[]>;
}
