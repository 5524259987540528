import { InvalidRequest, type Instant } from '#libs/kernel/core';
import { monthAfter, monthContaining, type BookMonth } from '#libs/contexts/revenue';

/** The longest report, in months. */
export const MAX_MONTHS = 60;

/** The months that a report includes, and the currency to select. */
export interface ReportedMonths {
  readonly from: BookMonth;
  readonly to: BookMonth;
  readonly currency?: string;
}

/**
 * Reads the months of a report. The default is the present month in UTC. Throws InvalidRequest if the months are in the wrong order, or if
 * there are too many months.
 */
export function readReportedMonths(
  { since, until, currency }: { since?: string; until?: string; currency?: string },
  now: Instant,
): ReportedMonths {
  const to = until ?? monthContaining(now, 'UTC');
  const from = since ?? to;
  if (from > to) throw InvalidRequest.field('since', `must not be after until, which is ${to}`);
  const reported = { from, to, ...(currency === undefined ? {} : { currency }) };
  if (monthsOf(reported).length > MAX_MONTHS)
    throw InvalidRequest.field('since', `must be less than ${MAX_MONTHS} months before until`);
  return reported;
}

/**
 * Returns the months of a report, in order. The list has at most {@link MAX_MONTHS} + 1 months, so that a caller can detect a report that
 * is too long.
 */
export function monthsOf({ from, to }: Pick<ReportedMonths, 'from' | 'to'>): BookMonth[] {
  const months: BookMonth[] = [];
  for (let month = from; month <= to && months.length <= MAX_MONTHS; month = monthAfter(month))
    months.push(month);
  return months;
}
