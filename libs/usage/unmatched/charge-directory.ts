/** Tells whether a price of a customer's subscriptions, or credits, charge the usage that a metric counts. */
export type ChargeTest = (customerId: string, metricId: string) => boolean;

/**
 * Looks up which usage is charged. The application implements this class, because the usage library does not depend on subscriptions and
 * credits.
 */
export abstract class ChargeDirectory {
  /**
   * Returns the test for the usage of these customers, by their subscriptions that have not ended. `chargeTestFor` is called for every
   * request with usage, so it should usually return from memory.
   */
  abstract chargeTestFor(workspaceId: string, customerIds: ReadonlySet<string>): Promise<ChargeTest>;
}
