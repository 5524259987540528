import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/**
 * The details of a tax rate. The details of a tax rate never change, because invoices refer to the rate. For a new percentage, a new tax
 * rate must be created.
 */
export interface TaxRateDetails {
  /** The name on invoices, such as `VAT`. */
  name: string;
  /** The percentage, from 0 to 100. */
  percentage: DecimalString;
  /** True if prices already contain the tax. False if the tax is added to the prices. */
  inclusive: boolean;
  /** An internal note of the workspace, which is never printed. */
  description: string | null;
}

export type TaxRateEvent =
  | DomainEvent<'TaxRateCreated', { taxRateId: string; at: Instant } & TaxRateDetails>
  | DomainEvent<'TaxRateArchived', { taxRateId: string }>;

export const taxRateEvents: EventCatalog<TaxRateEvent> = { TaxRateCreated: v1, TaxRateArchived: v1 };
