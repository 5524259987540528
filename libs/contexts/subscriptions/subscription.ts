import type { BillingThresholds } from '#libs/contexts/catalog';
import { StateConflict, NotFound, type Instant } from '#libs/kernel/core';
import type { CommitmentProgress } from './commitment-progress.js';
import type { OwnPrices } from './own-prices.js';
import type { PrepaidFee } from './prepaid.js';
import type {
  Bill,
  BillingPeriod,
  CancelOptions,
  CancelReason,
  FeeReplacement,
  RequestedAmendment,
  SubscribedPlan,
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
 * time, or was for a plan that the subscription had left.
 */
export const AMENDMENT_STATUSES = ['scheduled', 'applied', 'canceled', 'failed', 'skipped'] as const;
export type AmendmentStatus = (typeof AMENDMENT_STATUSES)[number];

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** A change of terms with its status. */
export interface Amendment extends RequestedAmendment {
  status: AmendmentStatus;
  requestedAt: Instant;
  effectiveAt: Instant;
  /**
   * Tells whether the change takes effect at the end of the billing period. If the change is for the period's end, `effectiveAt` moves with
   * this end.
   */
  atPeriodEnd: boolean;
  /** The id of the newer change for the same instant that replaced this change. Null if no change replaced it. */
  replacedBy: string | null;
  /** The invoice of the change. Null if the change had no bill. */
  invoiceId: string | null;
  /** The fees that took the place of fees that ended with the change. Absent before the change is applied. */
  replacements?: readonly FeeReplacement[];
  /** The error with which the change failed at its time. Null unless the status is `failed`. */
  failure: { code: string; message: string } | null;
}

/** A planned pause. */
export interface PlannedPause {
  pauseAt: Instant;
  /** The end of the pause. If null, the subscription stays paused until someone resumes it. */
  resumeAt: Instant | null;
  /**
   * Tells whether the pause begins at the end of the billing period. If the pause begins at the period's end, `pauseAt` moves with this
   * end.
   */
  atPeriodEnd: boolean;
}

/**
 * The state of a subscription, built from its events. `period` is the present period: the first period that is not yet billed to its end. A
 * paused or canceled subscription keeps the period in which the pause or the end came.
 */
export interface Subscription extends SubscriptionAgreement {
  phase: SubscriptionPhase;
  /** The status is the phase, or `past_due` for an active subscription with an overdue invoice: see `overdueInvoices`. */
  status: SubscriptionStatus;
  period: BillingPeriod;
  /** The planned pause. Null if none is planned. */
  plannedPause: PlannedPause | null;
  /** The start of the present pause, or of the pause during which the subscription was canceled. Otherwise null. */
  pausedAt: Instant | null;
  /** The instant at which a paused subscription resumes. Null if none has been set. */
  resumeAt: Instant | null;
  /** The instant at which the subscription ends. Null if none has been set. */
  cancelAt: Instant | null;
  /**
   * Tells whether the subscription ends at the end of its billing period. If the subscription ends with its period, `cancelAt` moves with
   * the period's end. For an ended subscription, tells whether it ended at its period's end as planned.
   */
  cancelAtPeriodEnd: boolean;
  /**
   * The options of the scheduled or completed cancellation. Null if no cancellation was requested, or if the cancellation was withdrawn.
   */
  cancelOptions: CancelOptions | null;
  canceledAt: Instant | null;
  cancelReason: CancelReason | null;
  /** The ids of the invoices that are still owed and whose last finished charge failed, or that were written off. */
  overdueInvoices: string[];
  /** The fees that were billed in advance for time after the last bill, including fees that were given back. */
  prepaid: PrepaidFee[];
  /** The minimum commitment of the present billing period or commitment interval, and the charges that count towards it. */
  commitmentProgress: CommitmentProgress;
  /** The newest change to another plan. Absent if the subscription has its first plan. */
  planChange?: { amendmentId: string; at: Instant };
  /** The prices that the subscription has of its own, and those of its plan that it does not have. */
  ownPrices: OwnPrices;
  /** The changes of terms, in the order in which they were requested. */
  amendments: Amendment[];
  /** The newest bill. The invoice of the newest bill may not exist yet. */
  lastBill: Bill | null;
  /** The number of bills so far. The number of bills distinguishes bills of the same instant. */
  billCount: number;
}

/** Returns the subscription. Throws NotFound if the subscription was never created. */
export function requireSubscription(
  subscriptionId: string,
  subscription: Subscription | undefined,
): Subscription {
  if (!subscription) throw NotFound.of('subscription', subscriptionId);
  return subscription;
}

/** A change that brings another plan, or another version of the plan. */
export type PlanAmendment = Amendment & { readonly change: { readonly plan: SubscribedPlan } };

/** Tells whether the change brings another plan, or another version of the plan. */
export function isPlanAmendment(amendment: Amendment): amendment is PlanAmendment {
  return amendment.change.plan !== null;
}

/**
 * Returns the scheduled changes that bring another plan, or another version of the plan, in the order in which they were requested. A
 * planned price migration is not a scheduled change of the subscription.
 */
export function scheduledPlanChanges({ amendments }: Pick<Subscription, 'amendments'>): PlanAmendment[] {
  return amendments.filter(({ status }) => status === 'scheduled').filter(isPlanAmendment);
}

/** Throws an error if a change is requested for a subscription that has ended. */
export function requireNotEnded(subscription: Subscription): void {
  if (subscription.phase === 'canceled')
    throw new StateConflict(
      'subscription_canceled',
      `The subscription ended at ${subscription.canceledAt}; nothing more can be done with it`,
    );
}

/**
 * Returns the billing thresholds of a subscription: its own thresholds, or the plan's if it has none of its own. Null if the subscription
 * has no thresholds.
 */
export function billingThresholdsOf({
  ownBillingThresholds: own,
  billingThresholds,
}: Pick<Subscription, 'ownBillingThresholds' | 'billingThresholds'>): BillingThresholds | null {
  return own === undefined ? (billingThresholds ?? null) : own;
}

/**
 * Tells whether the subscription has ever started. The period of a subscription is empty until its start, and stays empty if it is canceled
 * before the start.
 */
export function hasStarted({ period }: Pick<Subscription, 'period'>): boolean {
  return period.start !== period.end;
}

/**
 * Tells whether the subscription was paused before its first charged period, in its trial or exactly at the end of its trial. A paused
 * subscription keeps the period in which the pause came, and the period of a trial ends with the trial.
 */
export function isTrialPaused({ trialEnd, pausedAt, period }: Subscription): boolean {
  return trialEnd !== null && pausedAt !== null && period.end === trialEnd;
}
