import type { Instant } from '#libs/core';
import { consolidatedKind } from './consolidated.js';
import type { Bill, BillingPeriod, BillKind, SubscribedTerms } from './events.js';
import type { RefundableFee } from './prepaid.js';
import { passDue } from './decisions/pass-due.js';
import { nextDue } from './due.js';
import { evolve } from './evolve.js';
import type { Subscription } from './subscription.js';

/** The next period that is charged to its end, and what will be billed then: null if that is nothing. */
export interface Upcoming {
  readonly period: BillingPeriod;
  readonly billedAt: string;
  readonly bill: Bill | null;
  /** What kind of bill can be consolidated there; null: none. */
  readonly consolidatedKind: BillKind | null;
  /** The plan that is billed. */
  readonly plan: Pick<SubscribedTerms, 'planId' | 'planName'>;
  /** The plan that the subscription is on from then, which a change that is due can be to. */
  readonly planIdAfter: string;
}

/** Nothing is recorded in this run: it stands in the events of what would happen. */
const NO_RUN = { runId: '', trigger: 'schedule' } as const;

/**
 * What the subscription is billed next if nobody does anything: its own decisions, taken one after the other for what becomes
 * due, until one of them bills something or passes the end of a charged period. Null if that never comes, since it has ended or
 * is paused until somebody resumes it. `refundable`: what can be given back of what was paid in advance.
 */
export function upcomingBill(
  subscription: Subscription,
  refundable: readonly RefundableFee[],
): Upcoming | null {
  let state = subscription;
  for (let next = nextDue(state); next !== null; next = nextDue(state)) {
    const { period, phase, planId, planName } = state;
    const kind = consolidatedKind(state);
    state = passed(state, next.at, refundable);
    const bill = state.billCount > subscription.billCount ? state.lastBill : null;
    if (bill !== null || phase === 'active')
      return {
        ...{ period, billedAt: next.at, bill, consolidatedKind: kind, plan: { planId, planName } },
        planIdAfter: state.planId,
      };
  }
  return null;
}

/**
 * What a scheduled change of terms bills when its time comes, if nobody does anything until then, with the subscription
 * afterwards. `refundable` says what can be given back of what was paid in advance by then, given the bills until then.
 * Null if it does not come to it.
 */
export function billOfAmendment(
  subscription: Subscription,
  amendmentId: string,
  refundable: (state: Subscription, bills: readonly Bill[]) => readonly RefundableFee[],
): { subscription: Subscription; bill: Bill | null } | null {
  const bills: Bill[] = [];
  const statusIn = ({ amendments }: Subscription) =>
    amendments.find((amendment) => amendment.amendmentId === amendmentId)?.status;
  let state = subscription;
  for (let next = nextDue(state); next !== null; next = nextDue(state)) {
    const { billCount } = state;
    state = passed(state, next.at, refundable(state, bills));
    const bill = state.billCount > billCount ? state.lastBill : null;
    if (bill) bills.push(bill);
    const status = statusIn(state);
    if (status === 'applied') return { subscription: state, bill };
    if (status !== 'scheduled') return null;
  }
  return null;
}

function passed(state: Subscription, due: Instant, refundable: readonly RefundableFee[]): Subscription {
  const { subscriptionId } = state;
  const command = { type: 'PassDue', subscriptionId, due, at: due, run: NO_RUN } as const;
  return passDue({ ...command, endBecause: null, refundable }, state).reduce(evolve, state);
}
