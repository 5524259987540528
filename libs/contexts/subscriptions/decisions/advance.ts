import type { Instant } from '#libs/kernel/core';
import { periodOf, periodFrom } from '#libs/rating';
import { cycleBill, firstBill } from '../bill.js';
import { consolidate, consolidatedKind, type ConsolidatedOn } from '../consolidated-invoices.js';
import { nextDue, type DueKind } from '../next-due.js';
import {
  DEFAULT_CANCEL_OPTIONS,
  type CancelOptions,
  type RunReference,
  type SubscriptionEvent,
} from '../events.js';
import { evolve } from '../evolve.js';
import { priceChangeAt, type PlannedPriceChange } from '../price-changes.js';
import type { Subscription } from '../subscription.js';
import { passAmendment, passPriceChange } from './amend.js';
import { canceled } from './cancel.js';
import { startingPeriod, startingPhase } from './create.js';
import { paused, resumed } from './pause.js';

/** Does what became due at `due`, if nobody else has. */
export interface AdvanceSubscription {
  type: 'AdvanceSubscription';
  subscriptionId: string;
  due: Instant;
  at: Instant;
  run: RunReference;
  /** The invoice that a bill of that kind is on together with other subscriptions of the customer; absent: it is alone on one. */
  consolidation?: ConsolidatedOn;
  /** The price migrations that concern the subscription; absent: none. */
  priceChanges?: readonly PlannedPriceChange[];
}

/** It is done once, at its own instant, however late: who comes second, or early, finds nothing to do. */
export function advanceSubscription(
  command: AdvanceSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  const { due, at, consolidation } = command;
  const next = nextDue(subscription);
  if (next === null || next.at !== due || due > at) return [];
  const events = passed(command, subscription, next.kind);
  // It can have been canceled for the end of its period since the caller had looked.
  if (!consolidation || consolidation.kind !== consolidatedKind(subscription)) return events;
  let state = subscription;
  return events.map((event) => consolidate(event, (state = evolve(state, event)), consolidation));
}

function passed(
  command: AdvanceSubscription,
  subscription: Subscription,
  kind: DueKind,
): SubscriptionEvent[] {
  const { due, run } = command;
  const migrated = migration(command, subscription, kind);
  if (migrated !== null)
    return subscription.phase === 'active'
      ? [migrated]
      : [migrated, ...passed(command, evolve(subscription, migrated), kind)];
  switch (kind) {
    case 'cancellation':
      return [canceled(subscription, due, { reason: 'requested', run, options: optionsOf(subscription) })];
    case 'pause':
      return passPause(subscription, due, run);
    case 'amendment':
      return passAmendment(subscription, due, run);
    case 'resumption':
      return [resumed(subscription, due, run)];
    case 'boundary':
      return [passBoundary(command, subscription)];
  }
}

/**
 * The price migration that takes effect at that instant, if one does and can. It takes the place of a renewal. What is not charged yet,
 * or is paused, goes over without a bill and then on at the new prices.
 */
function migration(
  command: AdvanceSubscription,
  subscription: Subscription,
  kind: DueKind,
): SubscriptionEvent | null {
  const { due, priceChanges = [] } = command;
  if (kind !== 'resumption' && kind !== 'boundary') return null;
  const amendment = priceChangeAt(priceChanges, subscription, due);
  return amendment ? passPriceChange(subscription, amendment, command) : null;
}

/** A pause begins, unless the end of the period that it waits for has moved to where it would be over, or past that. */
function passPause(subscription: Subscription, due: Instant, run: RunReference): SubscriptionEvent[] {
  const { subscriptionId, customerId, plannedPause } = subscription;
  const { resumeAt } = plannedPause!;
  return resumeAt !== null && resumeAt <= due
    ? [{ type: 'SubscriptionPauseWithdrawn', data: { subscriptionId, customerId } }]
    : [paused(subscription, due, { resumeAt, run })];
}

/** How it is to end. */
function optionsOf({ cancelOptions }: Subscription): CancelOptions {
  return cancelOptions ?? DEFAULT_CANCEL_OPTIONS;
}

/** The end of a period, of a trial, or of the time before the start. */
function passBoundary({ due, run }: AdvanceSubscription, subscription: Subscription): SubscriptionEvent {
  const { subscriptionId, customerId, planId, planVersion, currency, billingInterval } = subscription;
  const about = { subscriptionId, customerId };
  if (subscription.phase === 'pending') {
    const phase = startingPhase(subscription);
    const period = startingPeriod(subscription);
    const bill = phase === 'active' ? firstBill({ ...subscription, period }) : null;
    const plan = { planId, planVersion, currency };
    return { type: 'SubscriptionStarted', data: { ...about, at: due, ...plan, phase, period, bill, run } };
  }
  if (subscription.phase === 'trialing') {
    const period = periodFrom(subscription, billingInterval, due);
    const bill = firstBill({ ...subscription, period });
    return { type: 'SubscriptionTrialEnded', data: { ...about, at: due, period, bill, run } };
  }
  const index = subscription.period.index + 1;
  const period = { index, ...periodOf(subscription, billingInterval, index) };
  return { type: 'SubscriptionRenewed', data: { ...about, period, bill: cycleBill(subscription), run } };
}
