import type { RecurringCadence } from '#libs/rating';
import { textOf } from '../adapter/instants.ts';
import { daysAfter, type Account } from './account.ts';

/** No period is longer. */
const MAX_DAYS = { monthly: 31, quarterly: 92, annual: 366 } as const;

interface Anchored {
  cadence: RecurringCadence;
  anchor: string;
  timezone: string;
}

/** Subscribed in the past: the periods since then are invoiced one by one. */
export async function periods(
  account: Account,
  { cadence, anchor, timezone, count }: Anchored & { count: number },
) {
  await account.goTo(daysAfter(anchor, count * MAX_DAYS[cadence]));
  await account.subscribe([await account.fee({ amount: '10', cadence })], { startsAt: anchor, timezone });
  await account.bill();
  const invoices = await account.invoices();
  return { starts: invoices.slice(0, count).map(({ lines }) => textOf(lines[0]!.periodStart)) };
}

export async function period_at(
  account: Account,
  { cadence, anchor, timezone, at }: Anchored & { at: string },
) {
  await account.goTo(at);
  const { id } = await account.subscribe([await account.fee({ amount: '10', cadence })], {
    startsAt: anchor,
    timezone,
  });
  await account.bill();
  const { currentPeriodStart: start, currentPeriodEnd: end } = await account.get(
    `/v1/subscriptions/${id as string}`,
  );
  return { start: textOf(start as string), end: textOf(end as string) };
}

interface FirstBoundaryCase {
  cadence: RecurringCadence;
  start: string;
  timezone: string;
  alignment?: 'calendar' | 'anniversary';
  anchor_day?: number;
}

/** Over HTTP the calendar's months are those that begin on day 1. */
export async function first_boundary(
  account: Account,
  { cadence, start, timezone, alignment, anchor_day }: FirstBoundaryCase,
) {
  await account.goTo(start);
  const anchorDay = anchor_day ?? (alignment === 'calendar' ? 1 : undefined);
  const { currentPeriodEnd } = await account.subscribe([await account.fee({ amount: '10', cadence })], {
    timezone,
    ...(anchorDay === undefined ? {} : { anchorDay }),
  });
  return { first_boundary: textOf(currentPeriodEnd as string) };
}

interface TrialCase {
  full_price: string;
  start: string;
  trial_days: number;
}

export async function trial(account: Account, { full_price, start, trial_days }: TrialCase) {
  await account.goTo(start);
  await account.subscribe([await account.fee({ amount: full_price })], { trialDays: trial_days });
  await account.goTo(daysAfter(start, trial_days + 1));
  const [first] = await account.invoices();
  return { first_invoice_at: textOf(first!.lines[0]!.periodStart), amount: first!.total };
}
