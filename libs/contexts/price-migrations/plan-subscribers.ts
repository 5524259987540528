/** A subscription that a migration covers. */
export interface PlanSubscriber {
  readonly subscriptionId: string;
  readonly customerId: string;
}

/** Whom a migration covers. */
export interface MigrationScope {
  readonly workspaceId: string;
  readonly migrationId: string;
  readonly planId: string;
  /** Null: everybody. */
  readonly customerIds: readonly string[] | null;
}

/**
 * Finds the subscriptions to a plan that have not ended, and those that the migration has moved from it already. Implemented by a read
 * model, which the streams overrule.
 */
export abstract class PlanSubscribers {
  /** The next `limit` by id, after `after`. */
  abstract page(scope: MigrationScope, after: string | null, limit: number): Promise<PlanSubscriber[]>;
  abstract count(scope: MigrationScope): Promise<number>;
}
