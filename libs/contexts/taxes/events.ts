import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** A tax as it is made. It never changes: another percentage is another rate, so that invoices can name theirs. */
export interface TaxRateDetails {
  /** As invoices print it: `VAT`. */
  name: string;
  /** In percent, from 0 to 100. */
  percentage: DecimalString;
  /** Whether prices contain it already; else it is added to them. */
  inclusive: boolean;
  /** For the workspace itself; printed nowhere. */
  description: string | null;
}

export type TaxRateEvent =
  | DomainEvent<'TaxRateCreated', { taxRateId: string; at: Instant } & TaxRateDetails>
  | DomainEvent<'TaxRateArchived', { taxRateId: string }>;

export const taxRateEvents: EventCatalog<TaxRateEvent> = { TaxRateCreated: v1, TaxRateArchived: v1 };
