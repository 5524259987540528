import type { Instant, NameTranslations } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { MinimumCommitment } from '#libs/rating';
import type { BillingThresholds } from './billing-thresholds.js';
import type { PlanFeature } from './plan-features.js';

/**
 * The visibility of a plan. Customers see a `public` plan in their portal if it has the currency of their subscription. They may switch to
 * it themselves if their portal session allows plan changes. Customers do not see a `hidden` plan in their portal.
 */
export const PLAN_VISIBILITIES = ['public', 'hidden'] as const;
export type PlanVisibility = (typeof PLAN_VISIBILITIES)[number];

/** The fields of one version of a plan. */
export interface PlanDetails {
  name: string;
  /** The name in other languages. Absent if there are none, and in events of earlier versions. */
  nameTranslations?: NameTranslations;
  description: string | null;
  /** The ids of the prices, in the plan's order. A new subscription gets the newest versions of these prices. */
  prices: string[];
  /** The currency of all prices. */
  currency: string;
  /** The features that subscribers may use, in the plan's order. */
  features: PlanFeature[];
  /** The number of trial days of a new subscription, if the subscription has no value of its own. */
  trialDays: number;
  visibility: PlanVisibility;
  /**
   * The least amount that a subscription is charged for each billing period, or for each interval of the commitment, in `currency`. Null if
   * the plan has no minimum commitment.
   */
  minimumCommitment: MinimumCommitment | null;
  /**
   * The threshold at which usage of a subscription is invoiced before its period ends, if the subscription has no threshold of its own.
   * Null if the plan has no threshold.
   */
  billingThresholds: BillingThresholds | null;
}

export type PlanEvent =
  /** The plan's version 1 was created and published at once. */
  | DomainEvent<'PlanCreated', { planId: string; at: Instant } & PlanDetails>
  /** A further version. The new version is a draft and replaces an earlier draft. */
  | DomainEvent<'PlanUpdated', { planId: string; version: number; at: Instant } & PlanDetails>
  | DomainEvent<'PlanPublished', { planId: string; version: number; at: Instant }>
  | DomainEvent<'PlanVersionRestored', { planId: string; version: number; at: Instant }>
  /**
   * The deletion of a price was requested while a change of the plan with this price was pending. This event makes the pending change fail.
   * If the change is tried again, it first stores a new reference on the price's stream.
   */
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
