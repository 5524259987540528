import {
  addSeconds,
  dayIn,
  Decimal,
  startOfMonth,
  roundToCurrency,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import type { Period } from '#libs/rating';

/** A part of an amount, and the instant at which the part is earned. */
export interface EarnedPart {
  readonly at: Instant;
  readonly amount: Decimal;
}

/**
 * Splits an amount for a period into parts that are earned evenly over time. The period is split at the months of the time zone. Each month
 * has one part. Each part is earned at the last millisecond of its month. The last part is earned at the last millisecond of the period. As
 * a result, the books of a month contain the revenue of that month. The cumulative amount is rounded at each part, so that the parts sum
 * exactly to the whole amount. If the period has no length, the whole amount is earned at the start of the period. The result contains no
 * parts of zero. IFRS 15 (paragraphs 39 to 45, B18) and ASC 606-10-25-31 require straight-line recognition for a service that is available
 * over a period.
 */
export function splitIntoEarnedParts(
  amount: DecimalString,
  { start, end }: Period,
  currency: string,
  timezone: string,
): EarnedPart[] {
  const whole = new Decimal(amount);
  if (end <= start) return whole.isZero() ? [] : [{ at: start, amount: whole }];
  const [from, length] = [Date.parse(start), Date.parse(end) - Date.parse(start)];
  let earlier = new Decimal(0);
  return [...monthStartsWithin(start, end, timezone), end].flatMap((boundary) => {
    const elapsed = Date.parse(boundary) - from;
    const earned = roundToCurrency(whole.times(elapsed).dividedBy(length), currency);
    const part = earned.minus(earlier);
    earlier = earned;
    return part.isZero() ? [] : [{ at: addSeconds(boundary, -0.001), amount: part }];
  });
}

/** The first instants of the calendar months that begin during the period. */
function monthStartsWithin(start: Instant, end: Instant, timezone: string): Instant[] {
  const day = dayIn(timezone, start);
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  const starts: Instant[] = [];
  // `month` counts from 1 and `startOfMonth` from 0. So `month` is the index of the month after the start.
  for (let next = month; ; next++) {
    const boundary = startOfMonth(year, next, timezone);
    if (boundary >= end) return starts;
    starts.push(boundary);
  }
}
