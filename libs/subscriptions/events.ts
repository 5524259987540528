import type { Instant } from '#libs/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/event-store';
import type { Charge, Period, PriceSnapshot, RecurringCadence } from '#libs/rating';

/** A billing period with its number, counted from the anchor. */
export interface BillingPeriod extends Period {
  readonly index: number;
}

/** What was agreed when the subscription began; it stays so whatever becomes of the plan and its prices. */
export interface SubscriptionAgreement {
  subscriptionId: string;
  customerId: string;
  planId: string;
  planVersion: number;
  planName: string;
  currency: string;
  /** Whose local calendar cuts the periods. */
  timezone: string;
  /** Boundary 0, from which every other is counted. */
  anchor: Instant;
  startedAt: Instant;
  createdAt: Instant;
  billingInterval: RecurringCadence;
  prices: PriceSnapshot[];
}

/** `cycle`: a boundary's. `interim`: asked for within a period. `final`: made when the subscription ends. */
export type BillKind = 'cycle' | 'interim' | 'final';

/**
 * What one invoice charges for: all of it but the usage, which is measured when the invoice is made. It needs nothing
 * else to be understood, so it means the same whenever it is read.
 */
export interface Bill {
  readonly invoiceId: string;
  readonly kind: BillKind;
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: string;
  /** The instant that it is made for: the boundary, or when it was asked for or the subscription ended. */
  readonly billedAt: Instant;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly charges: Charge[];
}

/** The billing run that a boundary was passed in: one asked for, or the timers' of that instant. */
export interface RunReference {
  runId: string;
  trigger: 'manual' | 'schedule';
}

/** Why a subscription ended. `customer_deleted`: its customer was deleted while it was being created. */
export type CancelReason = 'requested' | 'customer_deleted';

/**
 * Each event that leads to an invoice carries the whole bill, decided in the one place where decisions about a
 * subscription are put in order; the invoice follows from it, however late and however often that is tried.
 */
export type SubscriptionEvent =
  | DomainEvent<'SubscriptionCreated', SubscriptionAgreement & { period: BillingPeriod; bill: Bill | null }>
  | DomainEvent<
      'SubscriptionRenewed',
      {
        subscriptionId: string;
        customerId: string;
        period: BillingPeriod;
        bill: Bill | null;
        run: RunReference;
      }
    >
  | DomainEvent<'SubscriptionUsageBilled', { subscriptionId: string; through: Instant; bill: Bill }>
  | DomainEvent<'SubscriptionCancellationScheduled', { subscriptionId: string; at: Instant }>
  | DomainEvent<
      'SubscriptionCanceled',
      {
        subscriptionId: string;
        customerId: string;
        at: Instant;
        reason: CancelReason;
        bill: Bill | null;
        run: RunReference | null;
      }
    >;

export const subscriptionEvents: EventCatalog<SubscriptionEvent> = {
  SubscriptionCreated: v1,
  SubscriptionRenewed: v1,
  SubscriptionUsageBilled: v1,
  SubscriptionCancellationScheduled: v1,
  SubscriptionCanceled: v1,
};
