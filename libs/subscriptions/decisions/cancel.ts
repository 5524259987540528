import { InvalidRequest, instantToMillis, laterOf, type Instant } from '#libs/core';
import { finalBill } from '../bill.js';
import type { CancelReason, RunReference, SubscriptionEvent } from '../events.js';
import { unusedFees } from '../prepaid.js';
import { requireLive, type Subscription } from '../subscription.js';
import { requireNothingDue } from './require-nothing-due.js';

export interface CancelSubscription {
  type: 'CancelSubscription';
  subscriptionId: string;
  /** `now`, `period_end`, or an instant to come. */
  when: string;
  at: Instant;
}

/** Takes a cancellation back that was decided for later. */
export interface WithdrawCancellation {
  type: 'WithdrawCancellation';
  subscriptionId: string;
  at: Instant;
}

/** How far ahead: a preview goes through every period until then. */
const MAX_YEARS = 10;

/** What has no period to wait for the end of, since it has not started or is paused, ends at once instead. */
export function cancelSubscription(
  { when, at }: CancelSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  if (subscription.phase === 'canceled')
    throw new InvalidRequest(
      'already_canceled',
      `The subscription ended at ${subscription.canceledAt}; it cannot be canceled again`,
    );
  requireNothingDue(subscription, at);
  const { subscriptionId, phase, period, cancelAt, cancelAtPeriodEnd } = subscription;
  const hasNoPeriod = phase === 'pending' || phase === 'paused';
  if (when === 'now' || (when === 'period_end' && hasNoPeriod))
    return [canceled(subscription, at, { reason: 'requested', run: null })];
  if (when === 'period_end') {
    if (cancelAtPeriodEnd) return [];
    const data = { subscriptionId, at: period.end, atPeriodEnd: true as const };
    return [{ type: 'SubscriptionCancellationScheduled', data }];
  }
  if (when <= at) throw InvalidRequest.field('cancelAt', `must be in the future; it is ${at}`);
  if (instantToMillis(when) - instantToMillis(at) > MAX_YEARS * 366 * 86_400_000)
    throw InvalidRequest.field('cancelAt', `must be within ${MAX_YEARS} years; it is ${at}`);
  if (cancelAt === when && !cancelAtPeriodEnd) return [];
  return [{ type: 'SubscriptionCancellationScheduled', data: { subscriptionId, at: when } }];
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

/** The end at `at`, with the last bill if it was being billed: what was paid in advance for later time is given back. */
export function canceled(
  subscription: Subscription,
  at: Instant,
  because: { reason: CancelReason; run: RunReference | null },
): SubscriptionEvent {
  const { subscriptionId, customerId, phase, period, prepaid } = subscription;
  // A boundary can have been passed after the caller read the clock.
  const end = phase === 'active' ? laterOf(at, period.start) : at;
  const bill = phase === 'active' ? finalBill(subscription, end, unusedFees(prepaid, end)) : null;
  return { type: 'SubscriptionCanceled', data: { subscriptionId, customerId, at: end, ...because, bill } };
}
