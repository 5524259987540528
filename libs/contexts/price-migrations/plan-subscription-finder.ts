/** A subscription that a migration covers. */
export interface PlanSubscription {
  readonly subscriptionId: string;
  readonly customerId: string;
}

/** The subscriptions that a migration covers. */
export interface MigrationScope {
  readonly workspaceId: string;
  readonly migrationId: string;
  readonly planId: string;
  /** If null, the migration covers all customers. */
  readonly customerIds: readonly string[] | null;
}

/**
 * Finds the subscriptions to a plan that have not ended. Subscriptions that the migration has already moved from the plan are found too. A
 * read model implements this class. The read model can be some milliseconds behind the streams, so the caller checks each subscription
 * against its stream.
 */
export abstract class PlanSubscriptionFinder {
  /** Returns the next `limit` subscriptions by id, after the id `after`. */
  abstract page(scope: MigrationScope, after: string | null, limit: number): Promise<PlanSubscription[]>;
  abstract count(scope: MigrationScope): Promise<number>;
}
