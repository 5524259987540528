import type { Instant } from '#libs/kernel/core';
import { consolidatedKind } from './consolidated-invoices.js';
import type { Bill, BillingPeriod, BillKind, SubscribedTerms } from './events.js';
import { advanceSubscription } from './decisions/advance.js';
import type { PlannedPriceChange } from './price-changes.js';
import { nextDue } from './next-due.js';
import { evolve } from './evolve.js';
import type { Subscription } from './subscription.js';

/** The next period that is charged to its end, and what will be billed then: null if that is nothing. */
export interface Upcoming {
  readonly period: BillingPeriod;
  readonly billedAt: string;
  readonly bill: Bill | null;
  /** What kind of bill can be consolidated there; null: none. */
  readonly consolidatedKind: BillKind | null;
  /** The plan that the subscription is on from then, which a change that is due can be to. */
  readonly plan: Pick<SubscribedTerms, 'planId' | 'planName'>;
}

/** Nothing is recorded in this run: it stands in the events of what would happen. */
const NO_RUN = { runId: '', trigger: 'schedule' } as const;

/**
 * The next bill of the subscription if nobody does anything. Its decisions are taken one after the other as they fall due, until one of
 * them bills something. If none will, it is the end of the first charged period, without a bill. Null if the subscription has ended, or is
 * paused until somebody resumes it. `priceChanges`: the price migrations that concern the subscription.
 */
export function upcomingBill(
  subscription: Subscription,
  priceChanges: readonly PlannedPriceChange[] = [],
): Upcoming | null {
  let state = subscription;
  let quiet: Upcoming | null = null;
  for (let next = nextDue(state), steps = 0; next !== null; next = nextDue(state), steps++) {
    const before = state;
    const { period } = before;
    const kind = consolidatedKind(before);
    state = passed(before, next.at, priceChanges);
    const { planId, planName } = state;
    const bill = state.billCount > before.billCount ? state.lastBill : null;
    const upcoming = { period, billedAt: next.at, bill, consolidatedKind: kind, plan: { planId, planName } };
    if (bill !== null) return upcoming;
    if (endsUnbilled(before, state)) quiet ??= upcoming;
    if (quiet !== null && steps >= MAX_QUIET_STEPS) return quiet;
  }
  return quiet;
}

/**
 * A subscription that is billed at all is billed within a year: no fee has a longer period. Some steps may be changes that bill nothing.
 */
const MAX_QUIET_STEPS = 36;

/** Whether a charged period has ended, after which another begins or none at all. */
function endsUnbilled(before: Subscription, after: Subscription): boolean {
  if (before.phase !== 'active') return false;
  return after.phase === 'canceled' || after.period.start === before.period.end;
}

/** What a scheduled change of terms leads to when its time comes. */
export interface UpcomingAmendment {
  /** The subscription afterwards. */
  readonly subscription: Subscription;
  readonly bill: Bill | null;
  /** What is billed until then, in order. */
  readonly billsBefore: readonly Bill[];
}

/** What a scheduled change of terms bills when its time comes, if nobody does anything until then. Null if it does not come to it. */
export function billOfAmendment(
  subscription: Subscription,
  amendmentId: string,
  priceChanges: readonly PlannedPriceChange[] = [],
): UpcomingAmendment | null {
  const billsBefore: Bill[] = [];
  const statusIn = ({ amendments }: Subscription) =>
    amendments.find((amendment) => amendment.amendmentId === amendmentId)?.status;
  let state = subscription;
  for (let next = nextDue(state); next !== null; next = nextDue(state)) {
    const { billCount } = state;
    state = passed(state, next.at, priceChanges);
    const bill = state.billCount > billCount ? state.lastBill : null;
    const status = statusIn(state);
    if (status === 'applied') return { subscription: state, bill, billsBefore };
    if (status !== 'scheduled') return null;
    if (bill) billsBefore.push(bill);
  }
  return null;
}

function passed(
  state: Subscription,
  due: Instant,
  priceChanges: readonly PlannedPriceChange[],
): Subscription {
  const { subscriptionId } = state;
  const command = { type: 'AdvanceSubscription', subscriptionId, due, at: due, run: NO_RUN } as const;
  return advanceSubscription({ ...command, priceChanges }, state).reduce(evolve, state);
}
