import type { BillingThresholds } from '#libs/contexts/catalog';
import { InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import type { Committed } from './commitment-progress.js';
import type { PrepaidFee } from './prepaid.js';
import type {
  Bill,
  BillingPeriod,
  CancelOptions,
  CancelReason,
  RequestedAmendment,
  SubscriptionAgreement,
  SubscriptionPhase,
} from './events.js';

export const SUBSCRIPTION_STATUSES = [
  'pending',
  'trialing',
  'active',
  'past_due',
  'paused',
  'canceled',
] as const;
/** When its time came, what it asks for had become impossible (`failed`), or was so already (`skipped`). */
export const AMENDMENT_STATUSES = ['scheduled', 'applied', 'canceled', 'failed', 'skipped'] as const;
export type AmendmentStatus = (typeof AMENDMENT_STATUSES)[number];

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** A change of terms that was made, or is to be. */
export interface Amendment extends RequestedAmendment {
  status: AmendmentStatus;
  requestedAt: Instant;
  effectiveAt: Instant;
  /** Whether it is for the end of the period: `effectiveAt` moves with that. */
  atPeriodEnd: boolean;
  /** The newer change for the same instant that took its place. */
  replacedBy: string | null;
  /** What it led to billing, if anything. */
  invoiceId: string | null;
  /** Why it could not be made when its time had come. */
  failure: { code: string; message: string } | null;
}

/** A pause that is to come. */
export interface PlannedPause {
  pauseAt: Instant;
  /** Null: when somebody resumes it. */
  resumeAt: Instant | null;
  /** Whether it is for the end of the period: `pauseAt` moves with that. */
  atPeriodEnd: boolean;
}

/** A subscription as its events tell. `period` is the present one: the first that has not been billed to its end. */
export interface Subscription extends SubscriptionAgreement {
  phase: SubscriptionPhase;
  /** The phase; `past_due` for an active one that owes an invoice whose charge failed. */
  status: SubscriptionStatus;
  period: BillingPeriod;
  /** When it is to be paused, and resumed again if that is known. */
  plannedPause: PlannedPause | null;
  pausedAt: Instant | null;
  /** When a paused one goes on, if that has been decided. */
  resumeAt: Instant | null;
  /** When it is to end, if that has been decided. */
  cancelAt: Instant | null;
  /** Whether it is to end with its period: `cancelAt` moves with that. */
  cancelAtPeriodEnd: boolean;
  /** How it is to end, or ended; null while no end has been decided. */
  cancelOptions: CancelOptions | null;
  canceledAt: Instant | null;
  cancelReason: CancelReason | null;
  /** The invoices whose charge failed, and that are still to be paid. */
  overdueInvoices: string[];
  /** What was billed in advance, for time that had not passed when it was last billed; also what was given back of that. */
  prepaid: PrepaidFee[];
  /** What its present period or interval comes to at least, and what was charged of that. */
  committed: Committed;
  /** In the order in which they were asked for. */
  amendments: Amendment[];
  /** The newest bill, whose invoice may still be in the making. */
  lastBill: Bill | null;
  /** How many bills there were: tells those of one instant apart. */
  billCount: number;
}

/** The subscription, or NotFound if there never was one. */
export function requireSubscription(
  subscriptionId: string,
  subscription: Subscription | undefined,
): Subscription {
  if (!subscription) throw NotFound.of('subscription', subscriptionId);
  return subscription;
}

/** Refuses what makes no sense for a subscription that has ended. */
export function requireLive(subscription: Subscription): void {
  if (subscription.phase === 'canceled')
    throw new InvalidRequest(
      'subscription_canceled',
      `The subscription ended at ${subscription.canceledAt}; nothing more can be done with it`,
    );
}

/** When its usage is invoiced before the period is over: as was agreed with it, or as its plan says; null for never. */
export function thresholdsOf({
  ownBillingThresholds: own,
  billingThresholds,
}: Pick<Subscription, 'ownBillingThresholds' | 'billingThresholds'>): BillingThresholds | null {
  return own === undefined ? (billingThresholds ?? null) : own;
}

/** Whether it ever began: until it does, its period is empty, and it stays so if it is canceled before. */
export function hasStarted({ period }: Pick<Subscription, 'period'>): boolean {
  return period.start !== period.end;
}

/** Whether it was paused before the end of its trial, which goes on when it is resumed. */
export function isTrialPaused({ trialEnd, pausedAt }: Subscription): boolean {
  return trialEnd !== null && pausedAt !== null && pausedAt < trialEnd;
}
