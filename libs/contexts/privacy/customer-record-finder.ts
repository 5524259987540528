import type { Instant } from '#libs/kernel/core';

/** The subscriptions, invoices and approval requests that must end before a customer can be erased. Each list has ids. */
export interface UnfinishedRecords {
  /** Subscriptions that have not ended. */
  readonly subscriptions: readonly string[];
  /** Drafts and open invoices. */
  readonly invoices: readonly string[];
  /** Invoices that are not created yet, although a subscription has already decided to bill them. */
  readonly expectedInvoices: readonly string[];
  /** Approval requests that nobody has decided. */
  readonly approvalRequests: readonly string[];
}

/** Finds the records of a customer in the read models. */
export abstract class CustomerRecordFinder {
  /**
   * Returns the subscriptions that have not ended, drafts and open invoices, invoices that are not created yet, and pending approval
   * requests. Invoices that were marked uncollectible are left out. Events that the read models have not applied yet are not considered.
   */
  abstract unfinishedRecords(workspaceId: string, customerId: string): Promise<UnfinishedRecords>;
  /** Returns the name and the aggregate's id of each stream whose read models contain personal data of the customer. */
  abstract personalDataStreams(
    workspaceId: string,
    customerId: string,
  ): Promise<{ stream: string; id: string }[]>;
  /**
   * Returns for each customer the earliest instant from which usage may still have to be invoiced. The instant is the start of a running
   * period, or of a period whose invoice is a draft or not created yet. A customer without usage that may still have to be invoiced is left
   * out.
   */
  abstract uninvoicedUsageStarts(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, Instant>>;
  /** Returns the SQL of all versions of the workspace's SQL metrics, each with the event name that the version measures. */
  abstract sqlMetrics(workspaceId: string): Promise<{ eventName: string; text: string }[]>;
  /**
   * Returns the log position up to which all read models have applied the events. Returns 0 if a read model has applied no event. Returns
   * null if no read model is known.
   */
  abstract positionReachedByAllReadModels(): Promise<bigint | null>;
}
