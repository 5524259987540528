import type { Instant } from '#libs/kernel/core';

/** The subscriptions and invoices that must end before a customer can be erased. Each list has ids. */
export interface UnfinishedRecords {
  /** Subscriptions that have not ended. */
  readonly subscriptions: readonly string[];
  /** Drafts and open invoices. */
  readonly invoices: readonly string[];
  /** Invoices that a subscription has decided on and that are not created yet. */
  readonly expectedInvoices: readonly string[];
}

/** Finds the records of a customer in the read models. */
export abstract class CustomerRecords {
  /** Returns the subscriptions that have not ended, and the invoices that are not paid or void. */
  abstract unfinishedRecords(workspaceId: string, customerId: string): Promise<UnfinishedRecords>;
  /** Returns the names of the streams whose read models contain personal data of the customer, and the ids of their aggregates. */
  abstract streamsOf(workspaceId: string, customerId: string): Promise<{ stream: string; id: string }[]>;
  /**
   * Returns the earliest instant from which usage of each customer may still have to be invoiced, by customer. The instant is the start of
   * a running period, or of a period whose invoice is expected or a draft. A customer without such a period is left out.
   */
  abstract uninvoicedUsageSince(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, Instant>>;
  /** Returns the SQL of all versions of the workspace's SQL metrics, with the event name that each version measures. */
  abstract sqlMetrics(workspaceId: string): Promise<{ eventName: string; text: string }[]>;
  /** Returns the position up to which all read models have applied the events. Null if there is no such position yet. */
  abstract positionOfAllReadModels(): Promise<bigint | null>;
}
