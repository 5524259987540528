import {
  addSeconds,
  InvalidRequest,
  StateConflict,
  instantToMillis,
  laterOf,
  type Instant,
} from '#libs/kernel/core';
import { anchorFor, periodFrom } from '#libs/rating';
import { pauseBill, resumptionBill } from '../bill.js';
import type { RunReference, SubscriptionEvent } from '../events.js';
import { giveBacksOfUnusedFees } from '../prepaid.js';
import { isTrialPaused, requireNotEnded, type Subscription } from '../subscription.js';
import { boundaryAlignment } from './create.js';
import { requireNothingDue } from './require-nothing-due.js';

/** Pauses a subscription now or later. */
export interface PauseSubscription {
  type: 'PauseSubscription';
  subscriptionId: string;
  /** The beginning of the pause: an instant, or `period_end`. If null, the subscription is paused now. */
  pauseAt: string | null;
  /** The end of the pause. If null, the subscription stays paused until a user resumes it. */
  resumeAt: Instant | null;
  /** True if what the pause gives back pays open invoices of the customer before it goes to the balance. Absent otherwise. */
  paysOpenInvoices?: true;
  /** The workspace's time at which the pause is requested. */
  at: Instant;
}

/** Resumes a paused subscription, or withdraws a planned pause. */
export interface ResumeSubscription {
  type: 'ResumeSubscription';
  subscriptionId: string;
  /** The instant at which the subscription resumes. If null, the subscription resumes now. */
  resumeAt: Instant | null;
  /** The workspace's time at which the resumption is requested. */
  at: Instant;
}

export function pauseSubscription(
  { pauseAt, resumeAt, paysOpenInvoices, at }: PauseSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireNotEnded(subscription);
  requireNothingDue(subscription, at);
  const { subscriptionId, customerId, phase, period, pausedAt } = subscription;
  if (phase === 'paused')
    throw new StateConflict('already_paused', `The subscription has been paused since ${pausedAt}`);
  if (phase === 'pending')
    throw new StateConflict(
      'subscription_not_started',
      `The subscription starts at ${period.end}; it can be paused from then on, or canceled`,
    );
  const from = pauseAt === 'period_end' ? period.end : (pauseAt ?? laterOf(at, period.start));
  if (from < at) throw InvalidRequest.field('effectiveAt', `must not be in the past; it is ${at}`);
  if (resumeAt !== null && resumeAt <= from)
    throw InvalidRequest.field('resumesAt', `must be after the pause begins, at ${from}`);
  if (from > laterOf(at, period.start)) {
    const atPeriodEnd = pauseAt === 'period_end' ? { atPeriodEnd: true as const } : {};
    const data = { subscriptionId, customerId, pauseAt: from, resumeAt, ...atPeriodEnd };
    return [{ type: 'SubscriptionPauseScheduled', data }];
  }
  return [pausingEvent(subscription, from, { resumeAt, run: null, paysOpenInvoices })];
}

export function resumeSubscription(
  { resumeAt, at }: ResumeSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireNotEnded(subscription);
  requireNothingDue(subscription, at);
  const { subscriptionId, customerId, phase, plannedPause } = subscription;
  if (phase !== 'paused') {
    if (plannedPause === null)
      throw new StateConflict('not_paused', 'The subscription is not paused, and no pause of it is planned');
    if (resumeAt !== null)
      throw InvalidRequest.field(
        'effectiveAt',
        `is for a subscription that is paused; leave it out to take back the pause planned for ${plannedPause.pauseAt}`,
      );
    return [{ type: 'SubscriptionPauseWithdrawn', data: { subscriptionId, customerId } }];
  }
  if (resumeAt === null) return [resumptionEvent(subscription, laterOf(at, subscription.pausedAt!), null)];
  if (resumeAt <= at) throw InvalidRequest.field('effectiveAt', `must be in the future; it is ${at}`);
  return [{ type: 'SubscriptionResumptionScheduled', data: { subscriptionId, customerId, resumeAt } }];
}

/**
 * Returns the event that pauses the subscription at `at`. The bill of a pause charges the amounts that are owed up to `at`, and gives back
 * the unused part of prepaid fees. A trial has no bill.
 */
export function pausingEvent(
  subscription: Subscription,
  at: Instant,
  {
    resumeAt,
    run,
    paysOpenInvoices,
  }: { resumeAt: Instant | null; run: RunReference | null; paysOpenInvoices?: true | undefined },
): SubscriptionEvent {
  const { subscriptionId, customerId, phase, prepaid } = subscription;
  const billed = phase === 'active' ? pauseBill(subscription, at, giveBacksOfUnusedFees(prepaid, at)) : null;
  const bill = billed && paysOpenInvoices ? { ...billed, excessTo: 'open_invoices' as const } : billed;
  return { type: 'SubscriptionPaused', data: { subscriptionId, customerId, at, resumeAt, bill, run } };
}

/**
 * Returns the event that ends a pause at `at`. On resumption, a new period begins at `at` and ends on the chosen day of the month if there
 * is one. On resumption, prepaid fees for time after `at` are given back, unless the pause already gave them back. A paused trial continues
 * for the time that was left when it was paused. If no time was left, the first charged period begins, with the one-time prices.
 */
export function resumptionEvent(
  subscription: Subscription,
  at: Instant,
  run: RunReference | null,
): SubscriptionEvent {
  const { subscriptionId, customerId, timezone, billingInterval, anchorDay } = subscription;
  const trialEnd = trialEndAfterPause(subscription, at);
  const { anchor } = anchorFor(trialEnd ?? at, timezone, billingInterval, boundaryAlignment(anchorDay));
  const about = { subscriptionId, customerId, at, anchor, run };
  if (trialEnd !== null) {
    const period = { index: 0, start: at, end: trialEnd };
    return {
      type: 'SubscriptionResumed',
      data: { ...about, phase: 'trialing', trialEnd, period, bill: null },
    };
  }
  const period = periodFrom({ anchor, timezone }, billingInterval, at);
  const items = subscription.items.map((item) => ({ ...item, since: at }));
  // Nothing is left to give back, unless the invoice of the pause was voided.
  const unused = giveBacksOfUnusedFees(subscription.prepaid, at);
  const charged = { ...subscription, anchor, period, items };
  const bill = resumptionBill(charged, unused, isTrialPaused(subscription) ? 'first' : 'later');
  return {
    type: 'SubscriptionResumed',
    data: { ...about, phase: 'active', trialEnd: subscription.trialEnd, period, bill },
  };
}

/** Returns the new end of a trial that was paused before its end. Null if the trial was over at the pause, or if there was no trial. */
function trialEndAfterPause({ trialEnd, pausedAt }: Subscription, at: Instant): Instant | null {
  if (trialEnd === null || trialEnd <= pausedAt!) return null;
  return addSeconds(at, (instantToMillis(trialEnd) - instantToMillis(pausedAt!)) / 1_000);
}
