import type { Instant } from '#libs/kernel/core';
import { periodWithNumber, periodFrom } from '#libs/rating';
import { cycleBill, firstBill } from '../bill.js';
import {
  eventOnConsolidatedInvoice,
  consolidatedBillKind,
  type ConsolidatedInvoice,
} from '../consolidated-invoices.js';
import { nextDueChange, type DueChangeKind } from '../next-due.js';
import {
  DEFAULT_CANCEL_OPTIONS,
  type CancelOptions,
  type RunReference,
  type SubscriptionEvent,
} from '../events.js';
import { evolve } from '../evolve.js';
import { migrationTakingEffectAt, type PlannedMigration } from '../planned-migrations.js';
import { renewedItems } from '../seats.js';
import type { Subscription } from '../subscription.js';
import { applyAmendment, applyMigration } from './amend.js';
import { cancellationEvent } from './cancel.js';
import { startingPeriod, startingPhase } from './create.js';
import { pausingEvent, resumptionEvent } from './pause.js';

/** Applies the change that became due at `due`, unless another caller has already applied it. */
export interface AdvanceSubscription {
  type: 'AdvanceSubscription';
  subscriptionId: string;
  /** The instant at which the change became due. */
  due: Instant;
  /** The workspace's time, which can be later than `due`. */
  at: Instant;
  /** The billing run that applies the change. */
  run: RunReference;
  /**
   * The consolidated invoice that the customer's subscriptions share. A bill of the invoice's kind is put on the consolidated invoice. If
   * absent, the bill has a separate invoice.
   */
  consolidation?: ConsolidatedInvoice;
  /** The price migrations that concern the subscription. Absent if no migration concerns it. */
  plannedMigrations?: readonly PlannedMigration[];
}

/**
 * Applies a due change once, as of the instant at which it was due, even if the command is late. If the change was already applied, or is
 * not due yet, the command changes nothing.
 */
export function advanceSubscription(
  command: AdvanceSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  const { due, at, consolidation } = command;
  const next = nextDueChange(subscription);
  if (next === null || next.at !== due || due > at) return [];
  const events = passed(command, subscription, next.kind);
  // The subscription may have been canceled for the end of its period after the caller read it.
  if (!consolidation || consolidation.kind !== consolidatedBillKind(subscription)) return events;
  let state = subscription;
  return events.map((event) =>
    eventOnConsolidatedInvoice(event, (state = evolve(state, event)), consolidation),
  );
}

function passed(
  command: AdvanceSubscription,
  subscription: Subscription,
  kind: DueChangeKind,
): SubscriptionEvent[] {
  const { due, run } = command;
  const migrated = migration(command, subscription, kind);
  if (migrated !== null)
    return subscription.phase === 'active'
      ? [migrated]
      : [migrated, ...passed(command, evolve(subscription, migrated), kind)];
  switch (kind) {
    case 'cancellation':
      return [
        cancellationEvent(subscription, due, { reason: 'requested', run, options: optionsOf(subscription) }),
      ];
    case 'pause':
      return applyPause(subscription, due, run);
    case 'amendment':
      return applyAmendment(subscription, due, run);
    case 'resumption':
      return [resumptionEvent(subscription, due, run)];
    case 'boundary':
      return [applyBoundary(command, subscription)];
  }
}

/**
 * Returns the event of the price migration that takes effect at `due`. Null if no migration takes effect then, or if the move is refused.
 * The move replaces a renewal. If nothing was charged for the subscription yet, it moves to the new prices without a bill. The move of a
 * paused subscription bills only new one-time prices. Later charges of the moved subscription use the new prices.
 */
function migration(
  command: AdvanceSubscription,
  subscription: Subscription,
  kind: DueChangeKind,
): SubscriptionEvent | null {
  const { due, plannedMigrations = [] } = command;
  if (kind !== 'resumption' && kind !== 'boundary') return null;
  const amendment = migrationTakingEffectAt(plannedMigrations, subscription, due);
  return amendment ? applyMigration(subscription, amendment, command) : null;
}

/**
 * Begins a planned pause. If a pause at the end of the period would begin at its planned resumption or later, the pause is withdrawn.
 */
function applyPause(subscription: Subscription, due: Instant, run: RunReference): SubscriptionEvent[] {
  const { subscriptionId, customerId, plannedPause } = subscription;
  const { resumeAt } = plannedPause!;
  return resumeAt !== null && resumeAt <= due
    ? [{ type: 'SubscriptionPauseWithdrawn', data: { subscriptionId, customerId } }]
    : [pausingEvent(subscription, due, { resumeAt, run })];
}

/** Returns the options with which the subscription is to end. */
function optionsOf({ cancelOptions }: Subscription): CancelOptions {
  return cancelOptions ?? DEFAULT_CANCEL_OPTIONS;
}

/** Applies the end of a period, of a trial, or of the time before the start. */
function applyBoundary({ due, run }: AdvanceSubscription, subscription: Subscription): SubscriptionEvent {
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
  const period = { index, ...periodWithNumber(subscription, billingInterval, index) };
  const items = renewedItems(subscription);
  const changed = items.some((item, i) => item !== subscription.items[i]) ? { items } : {};
  const bill = cycleBill(subscription, items);
  return { type: 'SubscriptionRenewed', data: { ...about, period, ...changed, bill, run } };
}
