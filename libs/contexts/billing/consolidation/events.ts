import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { BillKind } from '#libs/contexts/subscriptions';

/** The subscriptions of a customer that share an invoice: each has a bill of this kind and currency at `billedAt`. */
export interface Consolidation {
  invoiceId: string;
  customerId: string;
  currency: string;
  kind: BillKind;
  billedAt: Instant;
  /**
   * In the order of the invoice. The invoice waits for the bill of each. A subscription that bills nothing at that instant is not on it.
   */
  subscriptionIds: string[];
}

export type ConsolidationEvent = DomainEvent<'InvoiceConsolidated', Consolidation>;

export const consolidationEvents: EventCatalog<ConsolidationEvent> = { InvoiceConsolidated: v1 };
