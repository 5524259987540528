/** A subscription or an invoice that keeps a customer from being erased. */
export interface OpenWork {
  /** Subscriptions that have not ended. */
  readonly subscriptions: readonly string[];
  /** Drafts and open invoices. */
  readonly invoices: readonly string[];
  /** Invoices that a subscription has decided on and that are not made yet. */
  readonly expected: readonly string[];
}

/** Finds what is stored about a customer, by the read models. */
export abstract class CustomerRecords {
  /** The subscriptions and invoices that are not over. */
  abstract openWork(workspaceId: string, customerId: string): Promise<OpenWork>;
  /** The names of the streams whose read models have personal data, and the ids of their aggregates. */
  abstract streamsOf(workspaceId: string, customerId: string): Promise<{ stream: string; id: string }[]>;
  /** The texts of the workspace's SQL metrics, by event name. */
  abstract sqlMetrics(workspaceId: string): Promise<{ eventName: string; text: string }[]>;
  /** The position up to which all read models are current. Null if none is. */
  abstract position(): Promise<bigint | null>;
}
