import type { Instant, NameTranslations } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { Cadence, PriceConfig, ChargeTiming } from '#libs/rating';

/** The fields of one version of a price. */
export interface PriceDetails {
  name: string;
  /** The name in other languages. Absent if there are none, and in events of earlier versions. */
  nameTranslations?: NameTranslations;
  description: string | null;
  /** The pricing model with its amounts. */
  config: PriceConfig;
  /** The metric that the price charges for; null for a fee. */
  metricId: string | null;
  /** How often the price is charged. */
  cadence: Cadence;
  /** Whether a fee is charged at the start or at the end of its period. */
  timing: ChargeTiming;
  /** For the model `license`, the license type whose seats the price charges for; otherwise null. */
  licenseTypeId: string | null;
  /**
   * The tax rates of the price; an empty list if the price is not taxed. If `taxRateIds` is absent or null, the customer's tax rates apply,
   * or else the default tax rates of the billing settings.
   */
  taxRateIds?: string[] | null;
}

export type PriceEvent =
  | DomainEvent<'PriceCreated', { priceId: string; at: Instant } & PriceDetails>
  | DomainEvent<'PriceUpdated', { priceId: string; version: number; at: Instant } & PriceDetails>
  /**
   * A plan is about to offer the price, so the price's stream stores a reference to the plan. `planRevision` is the revision that the
   * plan's stream will have after the plan has changed.
   */
  | DomainEvent<'PriceReferenced', { priceId: string; planId: string; planRevision: number }>
  /**
   * The deletion of a metric was requested while a change of the price with this metric was pending. This event makes the pending change
   * fail. If the change is tried again, it first stores a new reference on the metric's stream.
   */
  | DomainEvent<'PriceChangeOvertaken', { priceId: string }>
  | DomainEvent<'PriceDeleted', { priceId: string }>;

export const priceEvents: EventCatalog<PriceEvent> = {
  PriceCreated: v1,
  PriceUpdated: v1,
  PriceReferenced: v1,
  PriceChangeOvertaken: v1,
  PriceDeleted: v1,
};
