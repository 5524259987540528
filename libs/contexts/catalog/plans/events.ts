import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { MinimumCommitment } from '#libs/rating';
import type { BillingThresholds } from './billing-thresholds.js';
import type { PlanFeature } from './plan-features.js';

/** Whether customers see the plan in their portal and may switch to it by themselves. */
export const PLAN_VISIBILITIES = ['public', 'hidden'] as const;
export type PlanVisibility = (typeof PLAN_VISIBILITIES)[number];

/** What one version of a plan says. */
export interface PlanDetails {
  name: string;
  description: string | null;
  /** Ids of the prices, in the plan's order. A subscription takes their newest versions when it starts. */
  prices: string[];
  /** The one currency of the prices. */
  currency: string;
  /** What its subscribers may use, in the plan's order. */
  features: PlanFeature[];
  /** Days for which a new subscription is free, unless it says otherwise. */
  trialDays: number;
  visibility: PlanVisibility;
  /** What each billing period or interval of a subscription comes to at least, in `currency`; null for no least amount. */
  minimumCommitment: MinimumCommitment | null;
  /** When usage of a subscription is invoiced before its period is over; null for never. */
  billingThresholds: BillingThresholds | null;
}

export type PlanEvent =
  /** Version 1, published at once. */
  | DomainEvent<'PlanCreated', { planId: string; at: Instant } & PlanDetails>
  /** A further version, as a draft in place of the draft before it. */
  | DomainEvent<'PlanUpdated', { planId: string; version: number; at: Instant } & PlanDetails>
  | DomainEvent<'PlanPublished', { planId: string; version: number; at: Instant }>
  | DomainEvent<'PlanVersionRestored', { planId: string; version: number; at: Instant }>
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
