import { InvalidRequest, instantToMillis, laterOf, NotFound, type Instant } from '#libs/core';
import { amendmentBill, amendmentWhilePausedBill } from '../bill.js';
import { nextAmendment } from '../due.js';
import type { Bill, RequestedAmendment, RunReference, SubscriptionEvent } from '../events.js';
import { feesEndedBy, unusedFees, type RefundableFee } from '../prepaid.js';
import { isTrialPaused, requireLive, type Subscription } from '../subscription.js';
import { amendedTerms, NOTHING_TO_AMEND } from './amended-terms.js';
import { requireNothingDue } from './require-nothing-due.js';

/** Changes plan, prices or quantities now. */
export interface AmendSubscription extends RequestedAmendment {
  type: 'AmendSubscription';
  subscriptionId: string;
  at: Instant;
  /** What can be given back of what was paid in advance. */
  refundable: readonly RefundableFee[];
}

/** Changes plan, prices or quantities later. */
export interface ScheduleAmendment extends RequestedAmendment {
  type: 'ScheduleAmendment';
  subscriptionId: string;
  at: Instant;
  /** An instant, or `period_end`. */
  effectiveAt: string;
}

/** Takes a change back that is scheduled. */
export interface CancelAmendment {
  type: 'CancelAmendment';
  subscriptionId: string;
  amendmentId: string;
  at: Instant;
}

const MOST_SCHEDULED = 20;
/** How far ahead: a preview goes through every period until then. */
const MOST_YEARS = 10;

export function amendSubscription(
  { at, refundable, ...amendment }: AmendSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireLive(subscription);
  requireNothingDue(subscription, at);
  const { phase, period } = subscription;
  // A boundary can have been passed after the caller read the clock.
  const from = phase === 'active' ? laterOf(at, period.start) : at;
  return [amended(subscription, amendment, { at: from, run: null }, refundable)];
}

export function scheduleAmendment(
  { amendmentId, kind, change, prorate, effectiveAt, at }: ScheduleAmendment,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireLive(subscription);
  requireNothingDue(subscription, at);
  const { subscriptionId, customerId, phase, period, amendments } = subscription;
  if (effectiveAt === 'period_end' && phase === 'paused')
    throw InvalidRequest.field('effectiveAt', 'must be an instant, as the subscription is paused');
  const from = effectiveAt === 'period_end' ? period.end : effectiveAt;
  if (from <= at) throw InvalidRequest.field('effectiveAt', `must be in the future; it is ${at}`);
  if (instantToMillis(from) - instantToMillis(at) > MOST_YEARS * 366 * 86_400_000)
    throw InvalidRequest.field('effectiveAt', `must be within ${MOST_YEARS} years; it is ${at}`);
  if (amendments.filter(({ status }) => status === 'scheduled').length >= MOST_SCHEDULED)
    throw new InvalidRequest(
      'too_many_amendments',
      `At most ${MOST_SCHEDULED} amendments can be scheduled at a time; cancel one first`,
    );
  // Refuses what would fail if it took effect now.
  amendedTerms(subscription, change, { at: laterOf(at, period.start), prorate });
  const data = { subscriptionId, customerId, amendmentId, kind, change, prorate, effectiveAt: from, at };
  return [{ type: 'SubscriptionAmendmentScheduled', data }];
}

export function cancelAmendment(
  { amendmentId, at }: CancelAmendment,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireNothingDue(subscription, at);
  const { subscriptionId, customerId, amendments } = subscription;
  const amendment = amendments.find((one) => one.amendmentId === amendmentId);
  if (!amendment) throw NotFound.of('amendment', amendmentId);
  if (amendment.status !== 'scheduled')
    throw new InvalidRequest(
      'amendment_not_scheduled',
      `The amendment is ${amendment.status}; only a scheduled one can be canceled`,
    );
  return [{ type: 'SubscriptionAmendmentCanceled', data: { subscriptionId, customerId, amendmentId } }];
}

/** A scheduled change at its time. What it asks for may be so already, or have become impossible: that holds nothing up. */
export function passAmendment(
  subscription: Subscription,
  at: Instant,
  run: RunReference,
  refundable: readonly RefundableFee[],
): SubscriptionEvent {
  const { subscriptionId, customerId } = subscription;
  const amendment = nextAmendment(subscription)!;
  try {
    return amended(subscription, amendment, { at, run }, refundable);
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const { code, message } = error;
    const data = { subscriptionId, customerId, amendmentId: amendment.amendmentId, at, run };
    return code === NOTHING_TO_AMEND
      ? { type: 'SubscriptionAmendmentSkipped', data }
      : { type: 'SubscriptionAmendmentFailed', data: { ...data, code, message } };
  }
}

function amended(
  subscription: Subscription,
  { amendmentId, kind, change, prorate }: RequestedAmendment,
  { at, run }: { at: Instant; run: RunReference | null },
  refundable: readonly RefundableFee[],
): SubscriptionEvent {
  const { subscriptionId, customerId, currency } = subscription;
  const { kept, removed, added, restarts, ...terms } = amendedTerms(subscription, change, { at, prorate });
  const after = { ...subscription, ...terms };
  const bill = (): Bill | null => {
    switch (subscription.phase) {
      case 'active': {
        const items = { kept, removed, added };
        const ended = prorate ? feesEndedBy(subscription.prepaid, items) : [];
        const unused = unusedFees(ended, refundable, at);
        return amendmentBill(subscription, { at, prorate, ...items, after, restarts, unused });
      }
      case 'paused':
        // Of a trial that goes on after the pause, the first bill has all that is charged once.
        if (isTrialPaused(subscription)) return null;
        return amendmentWhilePausedBill(subscription, added, at);
      case 'pending':
      case 'trialing':
      case 'canceled':
        return null;
    }
  };
  return {
    type: 'SubscriptionAmended',
    data: {
      subscriptionId,
      customerId,
      ...{ amendmentId, kind, change, prorate, at },
      from: { planId: subscription.planId, planVersion: subscription.planVersion },
      currency,
      ...terms,
      bill: bill(),
      run,
    },
  };
}
