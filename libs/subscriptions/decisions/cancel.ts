import { InvalidRequest, laterOf, type Instant } from '#libs/core';
import { finalBill } from '../bill.js';
import type { CancelReason, RunReference, SubscriptionEvent } from '../events.js';
import { unusedFees, type RefundableFee } from '../prepaid.js';
import { requireLive, type Subscription } from '../subscription.js';
import { requireNothingDue } from './require-nothing-due.js';

export interface CancelSubscription {
  type: 'CancelSubscription';
  subscriptionId: string;
  immediately: boolean;
  at: Instant;
  /** What can be given back of what was paid in advance. */
  refundable: readonly RefundableFee[];
}

/** Takes a cancellation back that was decided for the end of the period. */
export interface WithdrawCancellation {
  type: 'WithdrawCancellation';
  subscriptionId: string;
  at: Instant;
}

/** What has no period to wait for the end of, since it has not started or is paused, ends at once in any case. */
export function cancelSubscription(
  { immediately, at, refundable }: CancelSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  if (subscription.phase === 'canceled')
    throw new InvalidRequest(
      'already_canceled',
      `The subscription ended at ${subscription.canceledAt}; it cannot be canceled again`,
    );
  requireNothingDue(subscription, at);
  const { subscriptionId, phase, period, cancelAt } = subscription;
  if (immediately || phase === 'pending' || phase === 'paused')
    return [canceled(subscription, at, { reason: 'requested', run: null }, refundable)];
  if (cancelAt !== null) return [];
  return [{ type: 'SubscriptionCancellationScheduled', data: { subscriptionId, at: period.end } }];
}

export function withdrawCancellation(
  { at }: WithdrawCancellation,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireLive(subscription);
  requireNothingDue(subscription, at);
  if (subscription.cancelAt === null)
    throw new InvalidRequest(
      'not_canceling',
      'No cancellation of the subscription is scheduled, so there is none to take back',
    );
  const { subscriptionId, customerId } = subscription;
  return [{ type: 'SubscriptionCancellationWithdrawn', data: { subscriptionId, customerId } }];
}

/**
 * The end at `at`, with the last bill if it was being billed. Of what was paid in advance what is unused is given back, if
 * `refundable` says what can be; one that ends with a period, as was agreed, gives nothing back.
 */
export function canceled(
  subscription: Subscription,
  at: Instant,
  because: { reason: CancelReason; run: RunReference | null },
  refundable: readonly RefundableFee[] | null = null,
): SubscriptionEvent {
  const { subscriptionId, customerId, phase, period } = subscription;
  // A boundary can have been passed after the caller read the clock.
  const end = phase === 'active' ? laterOf(at, period.start) : at;
  const unused = refundable ? unusedFees(subscription.prepaid, refundable, end) : [];
  const bill = phase === 'active' ? finalBill(subscription, end, unused) : null;
  return { type: 'SubscriptionCanceled', data: { subscriptionId, customerId, at: end, ...because, bill } };
}
