import type { BillingThresholds } from '#libs/contexts/catalog';
import { InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import type { CommitmentProgress } from './commitment-progress.js';
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
/**
 * The statuses of a change of terms. A `failed` change was impossible at its time. A `skipped` change would have changed nothing at its
 * time.
 */
export const AMENDMENT_STATUSES = ['scheduled', 'applied', 'canceled', 'failed', 'skipped'] as const;
export type AmendmentStatus = (typeof AMENDMENT_STATUSES)[number];

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** A change of terms with its status. */
export interface Amendment extends RequestedAmendment {
  status: AmendmentStatus;
  requestedAt: Instant;
  effectiveAt: Instant;
  /** Tells whether the change is for the end of the period. `effectiveAt` then moves with the period. */
  atPeriodEnd: boolean;
  /** The newer change for the same instant that replaced this one. */
  replacedBy: string | null;
  /** The invoice of the change. Null if the change billed nothing. */
  invoiceId: string | null;
  /** The error with which the change failed at its time. */
  failure: { code: string; message: string } | null;
}

/** A planned pause. */
export interface PlannedPause {
  pauseAt: Instant;
  /** The end of the pause. If null, the subscription stays paused until someone resumes it. */
  resumeAt: Instant | null;
  /** Tells whether the pause is for the end of the period. `pauseAt` then moves with the period. */
  atPeriodEnd: boolean;
}

/** The state of a subscription, built from its events. `period` is the present period: the first that has not been billed to its end. */
export interface Subscription extends SubscriptionAgreement {
  phase: SubscriptionPhase;
  /** The phase, or `past_due` for an active subscription that owes an invoice whose charge failed. */
  status: SubscriptionStatus;
  period: BillingPeriod;
  /** The planned pause. Null if none is planned. */
  plannedPause: PlannedPause | null;
  pausedAt: Instant | null;
  /** The instant at which a paused subscription resumes. Null if none has been set. */
  resumeAt: Instant | null;
  /** The instant at which the subscription ends. Null if none has been set. */
  cancelAt: Instant | null;
  /** Tells whether the subscription ends with its period. `cancelAt` then moves with the period. */
  cancelAtPeriodEnd: boolean;
  /** The options of the cancellation, scheduled or done. Null if no cancellation was requested. */
  cancelOptions: CancelOptions | null;
  canceledAt: Instant | null;
  cancelReason: CancelReason | null;
  /** The invoices whose charge failed and that are still owed. */
  overdueInvoices: string[];
  /** The fees that were billed in advance for time after the last bill. Fees that were given back since then are included. */
  prepaid: PrepaidFee[];
  /** The minimum commitment of the present period or interval, and the charges that count towards it. */
  commitmentProgress: CommitmentProgress;
  /** The changes of terms, in the order in which they were requested. */
  amendments: Amendment[];
  /** The newest bill. Its invoice possibly does not exist yet. */
  lastBill: Bill | null;
  /** The number of bills so far. It distinguishes bills of one instant. */
  billCount: number;
}

/** Returns the subscription. Throws NotFound if it was never created. */
export function requireSubscription(
  subscriptionId: string,
  subscription: Subscription | undefined,
): Subscription {
  if (!subscription) throw NotFound.of('subscription', subscriptionId);
  return subscription;
}

/** Refuses a change of a subscription that has ended. */
export function requireLive(subscription: Subscription): void {
  if (subscription.phase === 'canceled')
    throw new InvalidRequest(
      'subscription_canceled',
      `The subscription ended at ${subscription.canceledAt}; nothing more can be done with it`,
    );
}

/**
 * Returns the thresholds for invoices before the end of a period: the subscription's own, or else the plan's. Null if the subscription has
 * no thresholds.
 */
export function thresholdsOf({
  ownBillingThresholds: own,
  billingThresholds,
}: Pick<Subscription, 'ownBillingThresholds' | 'billingThresholds'>): BillingThresholds | null {
  return own === undefined ? (billingThresholds ?? null) : own;
}

/** Tells whether the subscription ever started. Its period is empty until then, and stays empty if the subscription is canceled before. */
export function hasStarted({ period }: Pick<Subscription, 'period'>): boolean {
  return period.start !== period.end;
}

/** Tells whether the subscription was paused before the end of its trial. The trial continues when the subscription resumes. */
export function isTrialPaused({ trialEnd, pausedAt }: Subscription): boolean {
  return trialEnd !== null && pausedAt !== null && pausedAt < trialEnd;
}
