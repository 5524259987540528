import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** A subscription that a run could not bill. Its timer goes on trying. */
export interface BillingFailure {
  subscriptionId: string;
  code: string;
  error: string;
}

/** What a billing run that was asked for did. */
export interface BillingRun {
  runId: string;
  /** Whom it was limited to, if anybody. */
  customerId: string | null;
  subscriptionId: string | null;
  startedAt: Instant;
  finishedAt: Instant;
  /** Subscriptions that it billed. */
  subscriptions: number;
  invoices: number;
  /** How many could not be billed, and the first of them. */
  failed: number;
  failures: BillingFailure[];
}

export type BillingRunEvent = DomainEvent<
  'BillingRunFinished',
  { at: Instant } & Omit<BillingRun, 'finishedAt'>
>;

export const billingRunEvents: EventCatalog<BillingRunEvent> = { BillingRunFinished: v1 };
