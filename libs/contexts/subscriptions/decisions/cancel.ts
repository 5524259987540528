import { InvalidRequest, StateConflict, instantToMillis, laterOf, type Instant } from '#libs/kernel/core';
import type { Charge } from '#libs/rating';
import { finalBill, finalBillAfterPause, finalBillWithoutArrears } from '../bill.js';
import {
  DEFAULT_CANCEL_OPTIONS,
  type Bill,
  type CancelOptions,
  type CancelReason,
  type RunReference,
  type SubscriptionEvent,
} from '../events.js';
import { giveBacksOfUnusedFees } from '../prepaid.js';
import { requireNotEnded, type Subscription } from '../subscription.js';
import { requireNothingDue } from './require-nothing-due.js';

/** Cancels a subscription now, at the end of its period, or at a future instant. */
export interface CancelSubscription {
  type: 'CancelSubscription';
  subscriptionId: string;
  /** The time at which the subscription ends: `now`, `period_end`, or a future instant. */
  when: string;
  /** If absent, {@link DEFAULT_CANCEL_OPTIONS} apply. */
  options?: CancelOptions;
  /** The workspace's time at which the cancellation is requested. */
  at: Instant;
}

/** Withdraws a scheduled cancellation. */
export interface WithdrawCancellation {
  type: 'WithdrawCancellation';
  subscriptionId: string;
  /** The workspace's time at which the cancellation is withdrawn. */
  at: Instant;
}

/** The maximum number of years that a cancellation can be scheduled ahead, because a preview computes every period until then. */
const MAX_YEARS = 10;

/**
 * Cancels the subscription now or later. A subscription that is paused or has not started has no period, so `period_end` ends it at once.
 */
export function cancelSubscription(
  { when, at, options = DEFAULT_CANCEL_OPTIONS }: CancelSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  if (subscription.phase === 'canceled')
    throw new StateConflict(
      'already_canceled',
      `The subscription ended at ${subscription.canceledAt}; it cannot be canceled again`,
    );
  requireNothingDue(subscription, at);
  const { subscriptionId, phase, period, cancelAt, cancelAtPeriodEnd } = subscription;
  const hasNoPeriod = phase === 'pending' || phase === 'paused';
  if (when === 'now' || (when === 'period_end' && hasNoPeriod))
    return [cancellationEvent(subscription, at, { reason: 'requested', run: null, options })];
  const hasSameOptions = isSame(options, subscription.cancelOptions ?? DEFAULT_CANCEL_OPTIONS);
  const stored = storedOptions(options);
  if (when === 'period_end') {
    if (cancelAtPeriodEnd && hasSameOptions) return [];
    const data = { subscriptionId, cancelAt: period.end, atPeriodEnd: true as const, ...stored };
    return [{ type: 'SubscriptionCancellationScheduled', data }];
  }
  if (when <= at) throw InvalidRequest.field('cancelAt', `must be in the future; it is ${at}`);
  if (instantToMillis(when) - instantToMillis(at) > MAX_YEARS * 366 * 86_400_000)
    throw InvalidRequest.field('cancelAt', `must be within ${MAX_YEARS} years; it is ${at}`);
  if (cancelAt === when && !cancelAtPeriodEnd && hasSameOptions) return [];
  return [{ type: 'SubscriptionCancellationScheduled', data: { subscriptionId, cancelAt: when, ...stored } }];
}

export function withdrawCancellation(
  { at }: WithdrawCancellation,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireNotEnded(subscription);
  requireNothingDue(subscription, at);
  if (subscription.cancelAt === null)
    throw new StateConflict(
      'not_canceling',
      'No cancellation of the subscription is scheduled, so there is none to take back',
    );
  const { subscriptionId, customerId } = subscription;
  return [{ type: 'SubscriptionCancellationWithdrawn', data: { subscriptionId, customerId } }];
}

/** The reason, the billing run and the options of a cancellation. */
export interface CancellationDetails {
  readonly reason: CancelReason;
  readonly run: RunReference | null;
  readonly options: CancelOptions;
}

/**
 * Returns the event that ends the subscription at `at`. An active or paused subscription gets a last bill, if there is something to charge
 * or give back. The last bill gives back fees that were paid in advance for later time, unless the options exclude this.
 */
export function cancellationEvent(
  subscription: Subscription,
  at: Instant,
  { reason, run, options }: CancellationDetails,
): SubscriptionEvent {
  const { subscriptionId, customerId, phase, period } = subscription;
  const about = { subscriptionId, customerId, reason, run, ...storedOptions(options) };
  // A boundary may have been passed after the caller read the clock.
  const end = phase === 'active' ? laterOf(at, period.start) : at;
  const isCharged = phase === 'active' || phase === 'paused';
  const bill = isCharged ? lastBill(subscription, end, options) : null;
  return { type: 'SubscriptionCanceled', data: { ...about, at: end, bill } };
}

function lastBill(
  subscription: Subscription,
  end: Instant,
  { credit, finalInvoice }: CancelOptions,
): Bill | null {
  const { prepaid } = subscription;
  const unused = credit === 'none' ? [] : giveBacksOfUnusedFees(prepaid, end);
  const bill = billAtEnd(subscription, end, unused, finalInvoice);
  return (
    bill && {
      ...bill,
      ...(finalInvoice ? {} : { waives: true }),
      ...(credit === 'refund' ? { excessTo: 'refund' } : {}),
    }
  );
}

/** @param finalInvoice whether what was delivered is billed, and not waived */
function billAtEnd(
  subscription: Subscription,
  end: Instant,
  unused: readonly Charge[],
  finalInvoice: boolean,
): Bill | null {
  const { pausedAt, period, lastBill: previous } = subscription;
  if (finalInvoice && pausedAt === null) return finalBill(subscription, end, unused);
  const charged = { start: pausedAt ?? period.start, end };
  return finalInvoice
    ? finalBillAfterPause(subscription, charged, { unused, previous })
    : finalBillWithoutArrears(subscription, charged, unused);
}

/** Returns the cancellation options as an event stores them: absent if they are the defaults. */
function storedOptions(options: CancelOptions): { options?: CancelOptions } {
  return isSame(options, DEFAULT_CANCEL_OPTIONS) ? {} : { options };
}

function isSame(a: CancelOptions, b: CancelOptions): boolean {
  return a.credit === b.credit && a.finalInvoice === b.finalInvoice;
}
