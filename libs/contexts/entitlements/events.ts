import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** A feature that a customer has in addition to its plans, or a higher limit of a feature. */
export interface EntitlementGrantDetails {
  customerId: string;
  /** The id of the feature, as plans name it. */
  featureId: string;
  /** The limit of a numeric feature. If `limit` is null, the feature has no limit. */
  limit: DecimalString | null;
  /** The reason for the grant, as a user entered it; null if none was given. Personal data. */
  reason: string | null;
  /** The instant at which the grant expires. If null, it never expires. */
  expiresAt: Instant | null;
}

export type EntitlementGrantEvent =
  | DomainEvent<'EntitlementGranted', { grantId: string; at: Instant } & EntitlementGrantDetails>
  | DomainEvent<'EntitlementGrantRemoved', { grantId: string; customerId: string; at: Instant }>;

export const entitlementGrantEvents: EventCatalog<EntitlementGrantEvent> = {
  EntitlementGranted: { version: 1, personal: { subject: 'customerId', fields: ['reason'] } },
  EntitlementGrantRemoved: v1,
};
