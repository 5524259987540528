import type { Bill, BillingPeriod, SubscriptionEvent } from './events.js';
import { passDue } from './decisions/pass-due.js';
import { evolve, nextDue, type Subscription } from './subscription.js';

/** The next period that is charged to its end, and what will be billed then: null if that is nothing. */
export interface Upcoming {
  readonly period: BillingPeriod;
  readonly billedAt: string;
  readonly bill: Bill | null;
}

/** Nothing is recorded in this run: it stands in the events of what would happen. */
const NO_RUN = { runId: '', trigger: 'schedule' } as const;

/**
 * What the subscription is billed next if nobody does anything: its own decisions, taken one after the other for what becomes
 * due, until one of them bills something or passes the end of a charged period. Null if that never comes, since it has ended or
 * is paused until somebody resumes it.
 */
export function upcomingBill(subscription: Subscription): Upcoming | null {
  let state = subscription;
  for (let next = nextDue(state); next !== null; next = nextDue(state)) {
    const { subscriptionId, period } = state;
    const command = { type: 'PassDue', subscriptionId, due: next.at, at: next.at, run: NO_RUN } as const;
    const events: SubscriptionEvent[] = passDue({ ...command, endBecause: null }, state);
    const { phase } = state;
    state = events.reduce(evolve, state);
    const bill = state.billCount > subscription.billCount ? state.lastBill : null;
    if (bill !== null || phase === 'active') return { period, billedAt: next.at, bill };
  }
  return null;
}
