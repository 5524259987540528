import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** A subscription that a run could not bill. The subscription's billing task is tried again. */
export interface BillingFailure {
  subscriptionId: string;
  code: string;
  error: string;
}

/** The result of a billing run that was requested. */
export interface BillingRun {
  runId: string;
  /** The customer or the subscription that the run was limited to. Null if it was not limited. */
  customerId: string | null;
  subscriptionId: string | null;
  startedAt: Instant;
  finishedAt: Instant;
  /** The number of subscriptions that the run billed. */
  subscriptions: number;
  invoices: number;
  /** The number of subscriptions that could not be billed. `failures` contains only the first of them. */
  failed: number;
  failures: BillingFailure[];
}

export type BillingRunEvent = DomainEvent<
  'BillingRunFinished',
  { at: Instant } & Omit<BillingRun, 'finishedAt'>
>;

export const billingRunEvents: EventCatalog<BillingRunEvent> = { BillingRunFinished: v1 };
