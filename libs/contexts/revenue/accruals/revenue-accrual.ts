import { addSeconds, Conflict, Decimal, laterOf, moneyString, sumOf, type Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import type { PriceRevenue } from '#libs/contexts/invoicing';
import type { BookMonth } from '../book-months.js';
import {
  revenueAccrualEvents,
  type AccruedOverage,
  type AccrualReversal,
  type MeasuredLines,
  type RevenueAccrualEvent,
  type UnbilledAmount,
} from './events.js';

/** The newest accrual of a subscription, or of the overage of a wallet. */
export interface RevenueAccrual {
  readonly month: BookMonth;
  /** The last instant of the month. */
  readonly at: Instant;
  /** The revenue that no opened invoice had billed at the end of the month, by price. */
  readonly unbilled: readonly UnbilledAmount[];
  /** Undoes the accrual when the next bill is expected, because that bill's invoice posts the same revenue. */
  readonly reversal: AccrualReversal;
  /** The overage of the wallet. Absent for a subscription. */
  readonly overage?: AccruedOverage;
}

/** Accrues the revenue that was earned by the end of a month and was not billed by then. */
export interface RevenueAccrualCommand {
  readonly type: 'AccrueRevenue';
  /** Null if the accrual is for the overage of a wallet. */
  readonly subscriptionId: string | null;
  readonly customerId: string;
  readonly currency: string;
  readonly timezone: string;
  readonly month: BookMonth;
  /** The last instant of the month. */
  readonly at: Instant;
  /** The workspace's time. */
  readonly now: Instant;
  /** The revenue that no opened invoice had billed at the end of the month, by price. */
  readonly unbilled: readonly UnbilledAmount[];
  /**
   * The lines that a bill would have for the time or the overage that no existing bill charges. Absent if there is none, or if the usage
   * cannot be measured.
   */
  readonly measured?: MeasuredLines;
  /** The overage of the wallet. Absent if the accrual is for a subscription. */
  readonly overage?: AccruedOverage;
  /** The instant at which the next bill is expected. */
  readonly nextBillAt: Instant;
}

/**
 * Decides the change of unbilled revenue at the end of a month. The stream is `revenueAccrual-acc_….sub_…`, or
 * `revenueAccrual-acc_….<customer>.<credit type>` for the overage of a wallet. The newest month can be measured again, because usage can
 * arrive late. A month before the newest one cannot be measured again. Throws Conflict (`month_not_over`) if the month is not over, because
 * the ledger books nothing ahead of its time.
 */
export const revenueAccrualDecider = defineDecider<
  RevenueAccrual,
  RevenueAccrualCommand,
  RevenueAccrualEvent
>({
  category: 'revenueAccrual',
  events: revenueAccrualEvents,
  decide(command, last) {
    const { type: _, now, nextBillAt, ...accrual } = command;
    const { month, at, unbilled, currency } = accrual;
    if (last && month < last.month) return [];
    if (at > now)
      throw new Conflict(
        'month_not_over',
        `The revenue of ${month} cannot be accrued at ${now}; the month ends at ${at}`,
      );
    const before = last ? postedBefore(last, command) : [];
    const lines = differenceOf(unbilled, before, currency);
    if (lines.length === 0) return [];
    const total = moneyString(sumOf(unbilled.map(({ amount }) => amount)), currency);
    return [
      {
        type: 'RevenueAccrued',
        data: { ...accrual, at, total, lines, reversal: reversalOf(command, last, lines) },
      },
    ];
  },
  evolve: (_, { data: { month, at, unbilled, reversal, overage } }) => ({
    month,
    at,
    unbilled,
    reversal,
    ...(overage ? { overage } : {}),
  }),
});

/** The unbilled amounts that are already posted in the ledger at the instant of a new accrual. */
export function postedBefore(
  last: RevenueAccrual,
  { month, at }: Pick<RevenueAccrualCommand, 'month' | 'at'>,
): readonly PriceRevenue[] {
  if (month === last.month) return last.unbilled;
  return last.reversal.at > at ? last.reversal.lines : [];
}

/**
 * Returns the reversal that belongs to the new accrual. The invoice of the next bill posts the amounts as revenue, so the accrual is
 * reversed when that bill is expected. If the reversal of the previous accrual is still in the future, the new reversal replaces it.
 */
function reversalOf(
  { unbilled, now, nextBillAt, month, currency }: RevenueAccrualCommand,
  last: RevenueAccrual | undefined,
  change: readonly PriceRevenue[],
): AccrualReversal {
  const isReplaced = last === undefined || last.reversal.at > now;
  const expected = last?.month === month && isReplaced ? last.reversal.at : nextBillAt;
  // The ledger schedules only what is later than the event.
  const at = laterOf(expected, addSeconds(now, 0.001));
  if (last === undefined || !isReplaced) return { at, lines: change };
  const own = last.month === month ? remainderOf(last, currency) : [];
  return { at, lines: differenceOf([...unbilled], own, currency) };
}

/** Returns the part of an accrual that its own reversal leaves out, because an earlier reversal has already reversed this part. */
function remainderOf({ unbilled, reversal }: RevenueAccrual, currency: string): PriceRevenue[] {
  return differenceOf(unbilled, reversal.lines, currency);
}

/** Subtracts amounts from other amounts, for each price. Prices whose difference is zero are omitted. */
function differenceOf(
  amounts: readonly PriceRevenue[],
  less: readonly PriceRevenue[],
  currency: string,
): PriceRevenue[] {
  const signed = [
    ...amounts.map(({ priceId, amount }) => ({ priceId, amount: new Decimal(amount) })),
    ...less.map(({ priceId, amount }) => ({ priceId, amount: new Decimal(amount).negated() })),
  ];
  return [...Map.groupBy(signed, ({ priceId }) => priceId)].flatMap(([priceId, same]) => {
    const sum = sumOf(same.map(({ amount }) => amount));
    return sum.isZero() ? [] : [{ priceId, amount: moneyString(sum, currency) }];
  });
}
