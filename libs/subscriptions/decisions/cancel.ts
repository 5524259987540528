import { InvalidRequest, instantToMillis, laterOf, type Instant } from '#libs/core';
import type { Charge } from '#libs/rating';
import { finalBill, waivingBill } from '../bill.js';
import {
  DEFAULT_CANCEL_OPTIONS,
  type CancelOptions,
  type CancelReason,
  type RunReference,
  type SubscriptionEvent,
} from '../events.js';
import { unusedFees } from '../prepaid.js';
import { requireLive, type Subscription } from '../subscription.js';
import { requireNothingDue } from './require-nothing-due.js';

export interface CancelSubscription {
  type: 'CancelSubscription';
  subscriptionId: string;
  /** `now`, `period_end`, or an instant to come. */
  when: string;
  /** Absent: the defaults. */
  options?: CancelOptions;
  /** See {@link Ending}. */
  paidInvoices?: readonly string[];
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
  { when, at, options = DEFAULT_CANCEL_OPTIONS, paidInvoices }: CancelSubscription,
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
    return [canceled(subscription, at, { reason: 'requested', run: null, options, paidInvoices })];
  const isSo = isSame(options, subscription.cancelOptions ?? DEFAULT_CANCEL_OPTIONS);
  const how = withOptions(options);
  if (when === 'period_end') {
    if (cancelAtPeriodEnd && isSo) return [];
    const data = { subscriptionId, at: period.end, atPeriodEnd: true as const, ...how };
    return [{ type: 'SubscriptionCancellationScheduled', data }];
  }
  if (when <= at) throw InvalidRequest.field('cancelAt', `must be in the future; it is ${at}`);
  if (instantToMillis(when) - instantToMillis(at) > MAX_YEARS * 366 * 86_400_000)
    throw InvalidRequest.field('cancelAt', `must be within ${MAX_YEARS} years; it is ${at}`);
  if (cancelAt === when && !cancelAtPeriodEnd && isSo) return [];
  return [{ type: 'SubscriptionCancellationScheduled', data: { subscriptionId, at: when, ...how } }];
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

/** Why and how a subscription ends. */
export interface Ending {
  readonly reason: CancelReason;
  readonly run: RunReference | null;
  readonly options: CancelOptions;
  /** Those of its invoices that are paid: only what they charged can be refunded. Absent: none. */
  readonly paidInvoices?: readonly string[] | undefined;
}

/**
 * The end at `at`, with the last bill if it was being billed. What was paid in advance for later time is given back as the options say: a
 * refund is of what was paid, and what was not paid yet is reduced by the bill.
 */
export function canceled(
  subscription: Subscription,
  at: Instant,
  { reason, run, options, paidInvoices = [] }: Ending,
): SubscriptionEvent {
  const { subscriptionId, customerId, phase, period, prepaid } = subscription;
  const about = { subscriptionId, customerId, reason, run, ...withOptions(options) };
  if (phase !== 'active') return { type: 'SubscriptionCanceled', data: { ...about, at, bill: null } };
  // A boundary can have been passed after the caller read the clock.
  const end = laterOf(at, period.start);
  const given = options.credit === 'none' ? [] : unusedFees(prepaid, end);
  const isRefunded = ({ refund }: Charge) =>
    options.credit === 'refund' && refund !== undefined && paidInvoices.includes(refund.invoiceId);
  const refunds = given.filter(isRefunded);
  const unused = given.filter((charge) => !isRefunded(charge));
  const bill = options.finalInvoice
    ? finalBill(subscription, end, { unused, refunded: refunds })
    : waivingBill(subscription, end, unused);
  const data = { ...about, at: end, bill, ...(refunds.length > 0 ? { refunds } : {}) };
  return { type: 'SubscriptionCanceled', data };
}

/** What an event says of how a subscription ends: nothing where it is by the defaults. */
function withOptions(options: CancelOptions): { options?: CancelOptions } {
  return isSame(options, DEFAULT_CANCEL_OPTIONS) ? {} : { options };
}

function isSame(a: CancelOptions, b: CancelOptions): boolean {
  return a.credit === b.credit && a.finalInvoice === b.finalInvoice;
}
