import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { Cadence, PriceConfig, Timing } from '#libs/rating';

/** What one version of a price says. */
export interface PriceDetails {
  name: string;
  description: string | null;
  config: PriceConfig;
  /** The metric that it charges for; null for a fee. */
  metricId: string | null;
  cadence: Cadence;
  timing: Timing;
  /** Whose seats it charges for, for the model `license`; else null. */
  licenseTypeId: string | null;
  /** The tax rates on it; empty for what is not taxed. Absent or null: those of the customer. */
  taxRateIds?: string[] | null;
}

export type PriceEvent =
  | DomainEvent<'PriceCreated', { priceId: string; at: Instant } & PriceDetails>
  | DomainEvent<'PriceUpdated', { priceId: string; version: number; at: Instant } & PriceDetails>
  /** A plan is about to offer the price; `planRevision` is its stream's with that change. */
  | DomainEvent<'PriceReferenced', { priceId: string; planId: string; planRevision: number }>
  /** A change that was to name a metric had not come by the time that the metric's deletion was asked for. */
  | DomainEvent<'PriceChangeOvertaken', { priceId: string }>
  | DomainEvent<'PriceDeleted', { priceId: string }>;

export const priceEvents: EventCatalog<PriceEvent> = {
  PriceCreated: v1,
  PriceUpdated: v1,
  PriceReferenced: v1,
  PriceChangeOvertaken: v1,
  PriceDeleted: v1,
};
