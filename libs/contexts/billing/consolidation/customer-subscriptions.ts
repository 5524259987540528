/** Finds the subscriptions of a customer that have not ended. Implemented by a read model, which the streams overrule. */
export abstract class CustomerSubscriptions {
  /** The ids of the `limit` oldest, oldest first. */
  abstract of(workspaceId: string, customerId: string, limit: number): Promise<string[]>;
}
