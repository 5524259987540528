import { addSeconds, Decimal, moneyString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { lastInstantOfMonth, monthAfter, monthBefore, type BookMonth } from '#libs/contexts/revenue';
import type { RevenueByPlannedEnd } from '#projections/recurring-revenue';

/** The number of months in a forecast. */
const FORECAST_MONTHS = 3;
/** The number of past months from which the trend of the usage revenue is computed. */
export const TREND_MONTHS = 3;

/** The assumptions of a forecast, as sentences for the reader. */
export const ASSUMPTIONS: readonly string[] = [
  'The present subscriptions go on at their present fees. Those with a planned end stop then.',
  'Nothing is sold, and no subscription pauses, resumes or changes.',
  `The revenue of usage follows the straight line through the last ${TREND_MONTHS} months that are over, and is never below zero.`,
  `A minimum commitment earns what the fees and the mean usage of these ${TREND_MONTHS} months lack to it, for each subscription.`,
  'Fees are before coupons. One-time charges, prepaid credits and credit notes are left out.',
];

/** The revenue of usage in a month. */
export interface UsageRevenue {
  readonly month: BookMonth;
  readonly currency: string;
  readonly amount: Decimal;
}

/** A subscription with a minimum commitment. */
export interface CommittedSubscription {
  readonly currency: string;
  /** The planned end of the subscription. Null if no end is planned. */
  readonly endsAt: Instant | null;
  /** The minimum amount of a month. The minimum of a year counts with a twelfth. */
  readonly minimum: Decimal;
  /** The present recurring fees of a month. */
  readonly fees: Decimal;
  /** The usage revenue of the subscription in all months of {@link trendMonths} together. */
  readonly usage: Decimal;
}

/** The expected revenue of one month in one currency: from recurring `fees`, from `usage`, from `minimums`, and in `total`. */
export interface ForecastMonth {
  readonly month: BookMonth;
  readonly currency: string;
  readonly fees: DecimalString;
  readonly usage: DecimalString;
  /** The amounts that are missing to minimum commitments. */
  readonly minimums: DecimalString;
  readonly total: DecimalString;
}

/** Returns the last TREND_MONTHS months before `present`, oldest first. The trend of the usage revenue is computed from these months. */
export function trendMonths(present: BookMonth): BookMonth[] {
  const months: BookMonth[] = [];
  for (let month = monthBefore(present); months.length < TREND_MONTHS; month = monthBefore(month))
    months.unshift(month);
  return months;
}

/** Computes the expected revenue of the months after `present`. */
export function forecast(
  present: BookMonth,
  planned: readonly RevenueByPlannedEnd[],
  history: readonly UsageRevenue[],
  committed: readonly CommittedSubscription[] = [],
): ForecastMonth[] {
  const currencies = new Set([...planned, ...history, ...committed].map(({ currency }) => currency));
  const past = trendMonths(present);
  return [...currencies].sort().flatMap((currency) => {
    const money = (amount: Decimal) => moneyString(amount, currency);
    const values = past.map((month) =>
      sumOf(
        history.filter((one) => one.currency === currency && one.month === month).map(({ amount }) => amount),
      ),
    );
    let month = present;
    return Array.from({ length: FORECAST_MONTHS }, (_, i) => {
      month = monthAfter(month);
      const start = addSeconds(lastInstantOfMonth(monthBefore(month), 'UTC'), 0.001);
      const goesOn = (one: { readonly currency: string; readonly endsAt: Instant | null }) =>
        one.currency === currency && (one.endsAt === null || one.endsAt > start);
      const fees = sumOf(planned.filter(goesOn).map(({ amount }) => amount));
      const minimums = sumOf(committed.filter(goesOn).map(amountMissing));
      // The present month stands between the last month that is over and the first of the forecast.
      const usage = Decimal.max(onLine(values, past.length + 1 + i), 0);
      const total = fees.plus(usage).plus(minimums);
      return {
        month,
        currency,
        fees: money(fees),
        usage: money(usage),
        minimums: money(minimums),
        total: money(total),
      };
    });
  });
}

/** The amount that a subscription's fees and its mean usage lack to its minimum in a month. It is never negative. */
function amountMissing({ minimum, fees, usage }: CommittedSubscription): Decimal {
  return Decimal.max(minimum.minus(fees).minus(usage.dividedBy(TREND_MONTHS)), 0);
}

/** The value at `x` of the least-squares line through the values at 0, 1, 2 and so on. */
function onLine(values: readonly Decimal[], x: number): Decimal {
  const count = values.length;
  const mean = sumOf(values).dividedBy(count);
  const middle = new Decimal(count - 1).dividedBy(2);
  const spread = sumOf(values.map((_, i) => middle.minus(i).pow(2)));
  const slope = sumOf(
    values.map((value, i) => value.minus(mean).times(new Decimal(i).minus(middle))),
  ).dividedBy(spread);
  return mean.plus(slope.times(new Decimal(x).minus(middle)));
}
