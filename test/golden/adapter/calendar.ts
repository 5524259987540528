import { Decimal, moneyString } from '#libs/kernel/core';
import {
  anchorFor,
  periodBoundary,
  firstPeriodEnd,
  periodContaining,
  prorate,
  remainderOf,
  remainingRetryTimes,
  trialEnd,
  type Alignment,
  type RecurringCadence,
} from '#libs/rating';
import { instantOf, periodOf, textOf, type GoldenPeriod } from './instants.ts';

interface Anchored {
  cadence: RecurringCadence;
  anchor: string;
  timezone: string;
}

const anchorOf = ({ anchor, timezone }: Anchored) => ({ anchor: instantOf(anchor), timezone });

export function periods(given: Anchored & { count: number }) {
  const starts = Array.from({ length: given.count }, (_, k) =>
    periodBoundary(anchorOf(given), given.cadence, k),
  );
  return { starts: starts.map(textOf) };
}

export function period_at(given: Anchored & { at: string }) {
  const { start, end } = periodContaining(anchorOf(given), given.cadence, instantOf(given.at));
  return { start: textOf(start), end: textOf(end) };
}

interface FirstBoundaryCase {
  cadence: RecurringCadence;
  start: string;
  timezone: string;
  alignment?: 'calendar' | 'anniversary';
  anchor_day?: number;
}

export function first_boundary({ cadence, timezone, alignment, anchor_day, ...given }: FirstBoundaryCase) {
  const start = instantOf(given.start);
  const lies: Alignment =
    anchor_day !== undefined ? { dayOfMonth: anchor_day } : alignment === 'calendar' ? 'calendar' : 'start';
  const anchor = anchorFor(start, timezone, cadence, lies);
  return { first_boundary: textOf(firstPeriodEnd(start, anchor, cadence)) };
}

interface TrialCase {
  policy: 'prorate_rest_of_period' | 'period_starts_at_trial_end';
  currency: string;
  full_price: string;
  start: string;
  trial_days: number;
  timezone?: string;
  period: GoldenPeriod;
}

/** A period that starts at the trial's end costs its full price; one that goes on costs what is left of it. */
export function trial(given: TrialCase) {
  const { policy, currency, trial_days, timezone = 'UTC' } = given;
  const price = new Decimal(given.full_price);
  const end = trialEnd(instantOf(given.start), trial_days, timezone);
  if (policy === 'period_starts_at_trial_end')
    return { first_invoice_at: textOf(end), amount: moneyString(price, currency) };
  const period = periodOf(given.period);
  return { amount: moneyString(prorate(price, remainderOf(period, end), period), currency) };
}

interface RetriesCase {
  first_failure_at: string;
  interval_days: number[];
  /** Which retry succeeds, from 1; null: none. */
  succeeds_on_retry: number | null;
}

export function retries({ first_failure_at, interval_days, succeeds_on_retry }: RetriesCase) {
  const all = remainingRetryTimes(
    { intervalsDays: interval_days, localHour: null },
    { failedAt: instantOf(first_failure_at), made: 0, timezone: 'UTC' },
  );
  const paid = succeeds_on_retry !== null && succeeds_on_retry <= all.length;
  const made = paid ? all.slice(0, succeeds_on_retry) : all;
  return { attempts_at: made.map(textOf), paid };
}
