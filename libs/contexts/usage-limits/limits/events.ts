import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/**
 * How long usage adds up. With `period`, it adds up in each billing period of the customer's oldest subscription that charges for the metric,
 * or in each month if there is none.
 */
export const LIMIT_SPANS = ['day', 'month', 'period', 'lifetime'] as const;
export type LimitSpan = (typeof LIMIT_SPANS)[number];

/** What a limit does with usage beyond it. `block`: it refuses the events. `notify`: it only tells. */
export const LIMIT_ACTIONS = ['block', 'notify'] as const;
export type LimitAction = (typeof LIMIT_ACTIONS)[number];

/** The terms of a limit that can be changed. */
export interface LimitTerms {
  /** The largest quantity of the metric within a window. */
  limit: DecimalString;
  action: LimitAction;
  /** The fractions of the limit, above 0 and below 1, at which a webhook is sent too. They are in ascending order. */
  warnAt: readonly DecimalString[];
}

/** A limit of what customers may use of a metric. */
export interface UsageLimitDetails extends LimitTerms {
  /** If null, the limit applies to each customer of the workspace. */
  customerId: string | null;
  metricId: string;
  per: LimitSpan;
}

type UsageLimitEventOf<Type extends string, Data extends object> = DomainEvent<
  Type,
  { limitId: string; customerId: string | null; at: Instant } & Data
>;

export type UsageLimitEvent =
  | UsageLimitEventOf<'UsageLimitCreated', UsageLimitDetails>
  | UsageLimitEventOf<'UsageLimitUpdated', Partial<LimitTerms>>
  | UsageLimitEventOf<'UsageLimitDeleted', object>;

export const usageLimitEvents: EventCatalog<UsageLimitEvent> = {
  UsageLimitCreated: v1,
  UsageLimitUpdated: v1,
  UsageLimitDeleted: v1,
};
