import type { Instant } from '#libs/kernel/core';
import { consolidatedBillKind } from './consolidated-invoices.js';
import type { Bill, BillingPeriod, BillKind } from './events.js';
import { advanceSubscription } from './decisions/advance.js';
import type { PlannedMigration } from './planned-migrations.js';
import { nextDueChange } from './next-due.js';
import { evolve } from './evolve.js';
import type { Subscription } from './subscription.js';

/** The period whose end is billed next, and the bill at that end. The bill of the period is null if there is nothing to bill. */
export interface UpcomingPeriod {
  readonly period: BillingPeriod;
  readonly billedAt: string;
  readonly bill: Bill | null;
  /** The kind of the bill, if several subscriptions can share an invoice for it at `billedAt`. Null if the bill cannot be consolidated. */
  readonly consolidatedKind: BillKind | null;
  /** The subscription after `billedAt`, with its plan and periods. Scheduled changes until then have taken effect in it. */
  readonly subscription: Subscription;
}

/** The placeholder for a billing run in the events of a preview, which are never stored. */
const NO_RUN = { runId: '', trigger: 'schedule' } as const;

/**
 * Returns the next bill of the subscription, if no user changes the subscription before. Applies the due changes one after the other until
 * one of them produces a bill. If no due change produces a bill, returns the end of the first charged period, without a bill. Null if no
 * bill and no end of a charged period follow. This is the case for a subscription that has ended, or that is paused until a user resumes
 * it. It is also the case for a subscription that ends before its first charged period. `plannedMigrations` are the price migrations that
 * concern the subscription.
 */
export function nextBilledPeriod(
  subscription: Subscription,
  plannedMigrations: readonly PlannedMigration[] = [],
): UpcomingPeriod | null {
  let state = subscription;
  let quiet: UpcomingPeriod | null = null;
  for (let next = nextDueChange(state), steps = 0; next !== null; next = nextDueChange(state), steps++) {
    const before = state;
    const { period } = before;
    const kind = consolidatedBillKind(before);
    state = passed(before, next.at, plannedMigrations);
    const bill = state.billCount > before.billCount ? state.lastBill : null;
    const upcoming = {
      period,
      billedAt: next.at,
      bill,
      consolidatedKind: kind,
      subscription: state,
    };
    if (bill !== null) return upcoming;
    if (endsUnbilled(before, state)) quiet ??= upcoming;
    if (quiet !== null && steps >= MAX_QUIET_STEPS) return quiet;
  }
  return quiet;
}

/**
 * The maximum number of due changes that the search for the next bill applies. No fee has a period of more than a year, so twelve monthly
 * periods contain a bill if the subscription is ever billed. The limit exceeds twelve to leave room for due changes without a bill.
 */
const MAX_QUIET_STEPS = 36;

/**
 * Returns true if `before` is active and its period has ended in `after`. A period ends at its boundary, and when the subscription is
 * canceled.
 */
function endsUnbilled(before: Subscription, after: Subscription): boolean {
  if (before.phase !== 'active') return false;
  return after.phase === 'canceled' || after.period.start === before.period.end;
}

/**
 * Returns the first instant at which a period ends without a bill, if no user changes the subscription before. A pause and the end of the
 * subscription also end a period. Overage gets a separate invoice at the end of a period without a bill. Null if a bill comes first, or if
 * no period ends.
 */
export function firstPeriodEndWithoutBill(
  subscription: Subscription,
  plannedMigrations: readonly PlannedMigration[] = [],
): Instant | null {
  let state = subscription;
  for (
    let next = nextDueChange(state), steps = 0;
    next !== null && steps < MAX_QUIET_STEPS;
    next = nextDueChange(state), steps++
  ) {
    const before = state;
    state = passed(before, next.at, plannedMigrations);
    if (state.billCount > before.billCount) return null;
    const isPaused = state.phase === 'paused' && before.phase !== 'paused';
    const isRenewed = before.phase === 'active' && state.period.start === next.at;
    if (state.phase === 'canceled' || isPaused || isRenewed) return next.at;
  }
  return null;
}

/** The result of a scheduled change of terms when it takes effect. */
export interface UpcomingAmendment {
  /** The subscription after the change. */
  readonly subscription: Subscription;
  readonly bill: Bill | null;
  /** The bills before the change, ordered by time. */
  readonly billsBefore: readonly Bill[];
}

/**
 * Returns the result of a scheduled change of terms when it takes effect, if no user changes the subscription before. Null if the scheduled
 * change will not be applied.
 */
export function upcomingAmendment(
  subscription: Subscription,
  amendmentId: string,
  plannedMigrations: readonly PlannedMigration[] = [],
): UpcomingAmendment | null {
  const billsBefore: Bill[] = [];
  const statusIn = ({ amendments }: Subscription) =>
    amendments.find((amendment) => amendment.amendmentId === amendmentId)?.status;
  let state = subscription;
  for (let next = nextDueChange(state); next !== null; next = nextDueChange(state)) {
    const { billCount } = state;
    state = passed(state, next.at, plannedMigrations);
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
  plannedMigrations: readonly PlannedMigration[],
): Subscription {
  const { subscriptionId } = state;
  const command = { type: 'AdvanceSubscription', subscriptionId, due, at: due, run: NO_RUN } as const;
  return advanceSubscription({ ...command, plannedMigrations }, state).reduce(evolve, state);
}
