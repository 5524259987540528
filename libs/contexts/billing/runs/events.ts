import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** A subscription that a billing run could not bill. The billing task of this subscription is tried again. */
export interface BillingFailure {
  subscriptionId: string;
  /** The code of the error, such as `internal_error`. */
  code: string;
  /** The message of the error. */
  error: string;
}

/** The result of a billing run that was requested. */
export interface BillingRun {
  runId: string;
  /** The customer or the subscription to which the run was limited. A field is null if the run was not limited by it. */
  customerId: string | null;
  subscriptionId: string | null;
  startedAt: Instant;
  finishedAt: Instant;
  /**
   * The number of subscriptions whose due changes the run applied, even if a change billed nothing. If the run was interrupted and
   * repeated, each due change before the interruption counts once.
   */
  subscriptions: number;
  /** The number of invoices that the run created. */
  invoices: number;
  /** The number of subscriptions that the run could not bill. `failures` contains at most 100 of these failed subscriptions. */
  failed: number;
  failures: BillingFailure[];
}

export type BillingRunEvent = DomainEvent<
  'BillingRunFinished',
  { at: Instant } & Omit<BillingRun, 'finishedAt'>
>;

export const billingRunEvents: EventCatalog<BillingRunEvent> = { BillingRunFinished: v1 };
