import type { Instant } from '#libs/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/event-store';

/** What one version of a plan says. */
export interface PlanDetails {
  name: string;
  description: string | null;
  /** Ids of the prices, in the plan's order. A subscription takes their newest versions when it starts. */
  prices: string[];
  /** The one currency of the prices. */
  currency: string;
}

export type PlanEvent =
  /** Version 1, published at once. */
  | DomainEvent<'PlanCreated', { planId: string; createdAt: Instant } & PlanDetails>
  /** A further version, as a draft in place of the draft before it. */
  | DomainEvent<'PlanUpdated', { planId: string; version: number; createdAt: Instant } & PlanDetails>
  | DomainEvent<'PlanPublished', { planId: string; version: number; publishedAt: Instant }>
  | DomainEvent<'PlanVersionRestored', { planId: string; version: number; publishedAt: Instant }>
  /** A change that was to name prices had not come by the time that the deletion of one was asked for. */
  | DomainEvent<'PlanChangeOvertaken', { planId: string }>
  | DomainEvent<'PlanDeleted', { planId: string }>;

export const planEvents: EventCatalog<PlanEvent> = {
  PlanCreated: v1,
  PlanUpdated: v1,
  PlanPublished: v1,
  PlanVersionRestored: v1,
  PlanChangeOvertaken: v1,
  PlanDeleted: v1,
};
