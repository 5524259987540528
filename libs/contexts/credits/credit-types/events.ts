import type { DecimalString, Instant, NameTranslations } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { OveragePolicy, RolloverLimits } from '#libs/rating';

/**
 * What happens to bought credits whose purchase was refunded at the payment processor, or lost in a dispute. `take_back`: the unused
 * credits are taken back. `block`: they cannot be used. `keep`: the customer keeps them.
 */
export const RETURNED_PURCHASE_POLICIES = ['take_back', 'block', 'keep'] as const;
export type ReturnedPurchasePolicy = (typeof RETURNED_PURCHASE_POLICIES)[number];

/** The policy of credit types that name none. */
export const DEFAULT_RETURNED_PURCHASE_POLICY: ReturnedPurchasePolicy = 'take_back';

/** The fields of a credit type that a user sets: its name, its prices, what happens when credits run out, and the default expiry. */
export interface CreditTypeDetails {
  name: string;
  /** The name in other languages. Absent if there are none, and in events of earlier versions. */
  nameTranslations?: NameTranslations;
  /** The price of one credit, in `currency`. */
  unitPrice: DecimalString;
  currency: string;
  /** What happens to usage that costs more credits than the wallet has: it is refused, or the missing credits are billed. */
  overage: OveragePolicy;
  /** The price of one credit that a wallet does not cover, in `currency`. If `overagePrice` is null, `unitPrice` applies. */
  overagePrice: DecimalString | null;
  /** The number of days after which credits expire, if their grant or purchase names no expiry. If null, such credits never expire. */
  expiresAfterDays: number | null;
  /** Absent in events of earlier versions, whose credit types have the default policy. */
  onPurchaseReturned?: ReturnedPurchasePolicy;
}

/** The cost of one unit for usage events with certain property values. */
export interface RateGroup {
  /** The property values that an event must have. The metric must group its usage by each of the properties. */
  when: Readonly<Record<string, string>>;
  creditsPerUnit: DecimalString;
}

/**
 * The cost of one unit of a metric, in credits. A rate is never changed. A rate ends when a later rate of the same metric begins, or when
 * the rate is removed.
 */
export interface CreditRate {
  rateId: string;
  metricId: string;
  creditsPerUnit: DecimalString;
  /**
   * The costs of units with certain property values. The first group that matches applies. Units that match no group cost `creditsPerUnit`.
   */
  groups: readonly RateGroup[];
  /** The instant from which the rate applies. */
  effectiveAt: Instant;
}

/**
 * The intervals at which an allowance can be granted. With `period`, the allowance is granted at the beginning of each billing period and
 * of a trial. With `month` or `year`, the intervals are counted from the subscription's anchor.
 */
export const ALLOWANCE_INTERVALS = ['period', 'month', 'year'] as const;
export type AllowanceInterval = (typeof ALLOWANCE_INTERVALS)[number];

/**
 * What a subscription gets of an allowance that a change of plan brings within an interval. With `prorated`, it gets the share of the
 * credits for the rest of the interval. With `full_price`, it gets all of them. With `next_period`, it gets none before the next interval,
 * and keeps the allowances of the old plan until then.
 */
export const PLAN_CHANGE_GRANTS = ['prorated', 'full_price', 'next_period'] as const;
export type PlanChangeGrant = (typeof PLAN_CHANGE_GRANTS)[number];

/** The credits that a plan includes in each interval. */
export interface CreditAllowance {
  allowanceId: string;
  planId: string;
  credits: DecimalString;
  every: AllowanceInterval;
  /** The priority of the granted block. Blocks with a lower priority are used first. */
  priority: number;
  /**
   * The limits on the credits that roll over to the next interval. If fewer credits than `minimum` are left, `minimum` credits roll over.
   * If null, no credits roll over.
   */
  rollover: RolloverLimits | null;
  /** What a change to the plan within an interval grants. If absent, the grant is prorated. */
  onPlanChange?: PlanChangeGrant;
}

type CreditTypeEventOf<Type extends string, Data extends object> = DomainEvent<
  Type,
  { creditType: string; at: Instant } & Data
>;

export type CreditTypeEvent =
  | CreditTypeEventOf<'CreditTypeCreated', CreditTypeDetails>
  | CreditTypeEventOf<'CreditTypeUpdated', Partial<CreditTypeDetails>>
  | CreditTypeEventOf<'CreditRateAdded', CreditRate>
  | CreditTypeEventOf<'CreditRateRemoved', { rateId: string }>
  | CreditTypeEventOf<'CreditAllowanceAdded', CreditAllowance>
  | CreditTypeEventOf<'CreditAllowanceRemoved', { allowanceId: string }>;

export const creditTypeEvents: EventCatalog<CreditTypeEvent> = {
  CreditTypeCreated: v1,
  CreditTypeUpdated: v1,
  CreditRateAdded: v1,
  CreditRateRemoved: v1,
  CreditAllowanceAdded: v1,
  CreditAllowanceRemoved: v1,
};
