import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { BillKind } from '#libs/contexts/subscriptions';

/** The subscriptions of a customer that are billed on one invoice: those for which the same falls due at `billedAt`, in one currency. */
export interface Consolidation {
  invoiceId: string;
  customerId: string;
  currency: string;
  kind: BillKind;
  billedAt: Instant;
  /** In the order of the invoice. The invoice waits for each of them; one that bills nothing then is not on it. */
  subscriptionIds: string[];
}

export type ConsolidationEvent = DomainEvent<'InvoiceConsolidated', Consolidation>;

export const consolidationEvents: EventCatalog<ConsolidationEvent> = { InvoiceConsolidated: v1 };
