import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { BillKind } from '#libs/contexts/subscriptions';

/**
 * The subscriptions of a customer that share an invoice. Each of these subscriptions is due for a bill of this kind and currency at
 * `billedAt`.
 */
export interface Consolidation {
  invoiceId: string;
  customerId: string;
  currency: string;
  /** The kind of the bills that share the invoice. */
  kind: BillKind;
  /** The instant at which the subscriptions are due, such as the end of their periods. */
  billedAt: Instant;
  /**
   * The ids of the subscriptions, in the order of their bills on the invoice. The invoice is not created until each subscription has
   * decided what it bills. A subscription that bills nothing at that instant is not on the invoice.
   */
  subscriptionIds: string[];
}

export type ConsolidationEvent = DomainEvent<'InvoiceConsolidated', Consolidation>;

export const consolidationEvents: EventCatalog<ConsolidationEvent> = { InvoiceConsolidated: v1 };
