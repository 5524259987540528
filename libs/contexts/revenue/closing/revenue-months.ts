import { Conflict, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { monthAfter, type BookMonth } from '../book-months.js';
import { revenueMonthEvents, type MonthFigures, type RevenueMonthEvent } from './events.js';

/** A closed month, whose figures no longer change. */
export interface ClosedMonth {
  readonly month: BookMonth;
  readonly closedAt: Instant;
  /** The figures of the month, one element for each currency. */
  readonly currencies: readonly MonthFigures[];
}

/** The closed months of a workspace, oldest first, without gaps. */
export interface RevenueMonths {
  readonly closedMonths: readonly ClosedMonth[];
}

/**
 * Closes a month, so that its figures no longer change. Does nothing if the month is already closed, or is before the first closed month.
 */
export interface RevenueMonthCommand {
  readonly type: 'CloseRevenueMonth';
  readonly workspaceId: string;
  readonly month: BookMonth;
  /** The workspace's time at which the month is closed. */
  readonly at: Instant;
  /** The log position up to which the ledger was complete. Null if the ledger had not read any event yet. */
  readonly position: string | null;
  /** The position of the usage log when the measurement of the month began. */
  readonly usageThrough?: string;
  /** The figures of the month, one element for each currency. */
  readonly currencies: readonly MonthFigures[];
}

export const initialState: RevenueMonths = { closedMonths: [] };

/** Decides which months are closed. The stream of closed months is `revenueMonths-acc_…`. */
export const revenueMonthsDecider = defineDecider<RevenueMonths, RevenueMonthCommand, RevenueMonthEvent>({
  category: 'revenueMonths',
  events: revenueMonthEvents,
  decide({ type: _, ...data }, { closedMonths } = initialState) {
    const last = closedMonths.at(-1);
    if (last !== undefined && data.month <= last.month) return [];
    requireNextMonth(closedMonths, data.month);
    return [{ type: 'RevenueMonthClosed', data }];
  },
  evolve: ({ closedMonths } = initialState, { data: { month, at: closedAt, currencies } }) => ({
    closedMonths: [...closedMonths, { month, closedAt, currencies }],
  }),
});

/**
 * Throws Conflict (`earlier_months_open`) if no month is closed yet and an earlier month has postings. That month could never be closed.
 *
 * @param firstPosted the first month with postings; undefined if there are none
 */
export function requireNoEarlierMonths(
  closed: readonly ClosedMonth[],
  month: BookMonth,
  firstPosted: BookMonth | undefined,
): void {
  if (closed.length > 0 || firstPosted === undefined || firstPosted >= month) return;
  throw new Conflict(
    'earlier_months_open',
    `The months from ${firstPosted} on have postings and could never be closed after ${month}: close ${firstPosted} first, or send ` +
      '"skipEarlierMonths": true to leave them open for good',
  );
}

/**
 * Throws Conflict (`month_out_of_order`) if the month does not directly follow the last closed month, also if the month is closed already.
 * The first month to close can be any month, but see {@link requireNoEarlierMonths}.
 */
export function requireNextMonth(closed: readonly ClosedMonth[], month: BookMonth): void {
  const [first, last] = [closed[0], closed.at(-1)];
  if (first === undefined || last === undefined || month === monthAfter(last.month)) return;
  throw new Conflict(
    'month_out_of_order',
    month < first.month
      ? `The month ${month} is before ${first.month}, the first month that was closed, so it cannot change any more`
      : `The month ${monthAfter(last.month)} is not closed yet; close it first`,
  );
}
