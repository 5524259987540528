import { addSeconds, Decimal, laterOf, moneyString, sumOf, type Instant } from '#libs/kernel/core';
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
  readonly unbilled: readonly UnbilledAmount[];
  readonly reversal: AccrualReversal;
  /** The overage of the wallet. Absent for a subscription. */
  readonly overage?: AccruedOverage;
}

/** Accrues the revenue of a month that is not billed at the month's end. */
export interface RevenueAccrualCommand {
  readonly type: 'AccrueRevenue';
  /** Null for the overage of a wallet. */
  readonly subscriptionId: string | null;
  readonly customerId: string;
  readonly currency: string;
  readonly timezone: string;
  readonly month: BookMonth;
  /** The last instant of the month. */
  readonly at: Instant;
  /** The workspace's time. */
  readonly now: Instant;
  readonly unbilled: readonly UnbilledAmount[];
  /** The lines of the unbilled time. Absent if bills charge the whole time. */
  readonly measured?: MeasuredLines;
  /** The overage of the wallet. Absent if the revenue is that of a subscription. */
  readonly overage?: AccruedOverage;
  /** The instant at which the next bill is expected. */
  readonly nextBillAt: Instant;
}

/**
 * Decides what a month's end adds to unbilled revenue. Its stream is `revenueAccrual-acc_….sub_…`, or for the overage of a wallet
 * `revenueAccrual-acc_….<customer>.<credit type>`. The same month can be measured again,
 * because usage came late. An earlier month cannot.
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
    const before = last ? postedBefore(last, command) : [];
    const lines = differenceOf(unbilled, before, currency);
    if (lines.length === 0) return [];
    const total = moneyString(sumOf(unbilled.map(({ amount }) => amount)), currency);
    return [
      {
        type: 'RevenueAccrued',
        data: {
          ...accrual,
          ...{ at, total, lines },
          reversal: reversalOf(command, last, lines),
        },
      },
    ];
  },
  evolve: (_, { data: { month, at, unbilled, reversal, overage } }) => ({
    ...{ month, at, unbilled, reversal },
    ...(overage ? { overage } : {}),
  }),
});

/** The unbilled amounts that the ledger has at the instant of a new accrual. */
function postedBefore(last: RevenueAccrual, { month, at }: RevenueAccrualCommand): readonly PriceRevenue[] {
  if (month === last.month) return last.unbilled;
  return last.reversal.at > at ? last.reversal.lines : [];
}

/**
 * The reversal of the new accrual. The next bill's invoice posts the amounts as revenue, so they are reversed when it is expected. If the
 * earlier reversal is still to come, the new one replaces it.
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

/** The part of an accrual that its reversal leaves, because an earlier reversal has already taken it. */
function remainderOf({ unbilled, reversal }: RevenueAccrual, currency: string): PriceRevenue[] {
  return differenceOf(unbilled, reversal.lines, currency);
}

/** Amounts less other amounts, by price. Prices without a difference are omitted. */
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
