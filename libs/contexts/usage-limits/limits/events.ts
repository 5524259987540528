import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/**
 * The kinds of windows in which the usage of a limit is summed. `period` is the billing period of the customer's oldest subscription that
 * charges for the metric. If no subscription of the customer charges for the metric, a `period` window is the calendar month.
 */
export const LIMIT_WINDOW_KINDS = ['day', 'month', 'period', 'lifetime'] as const;
export type LimitWindowKind = (typeof LIMIT_WINDOW_KINDS)[number];

/**
 * The action when usage would exceed a limit. `block` refuses the events. `notify` accepts the events. A webhook is sent in both cases,
 * once in each window.
 */
export const LIMIT_ACTIONS = ['block', 'notify'] as const;
export type LimitAction = (typeof LIMIT_ACTIONS)[number];

/** The terms of a limit that can be changed. */
export interface LimitTerms {
  /** The maximum quantity of the metric within a window. */
  limit: DecimalString;
  /** The action when usage would exceed the limit. */
  action: LimitAction;
  /** The fractions of the limit, above 0 and below 1, at which a warning webhook is sent. The fractions are in ascending order. */
  warnAt: readonly DecimalString[];
}

/** The data of a limit on the quantity of a metric that a customer may use. */
export interface UsageLimitDetails extends LimitTerms {
  /** If null, the limit applies to each customer of the workspace. */
  customerId: string | null;
  metricId: string;
  /** The kind of window in which the usage is summed. */
  per: LimitWindowKind;
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
