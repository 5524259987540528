import { Decimal, jsonNumber, jsonNumbers, moneyString, type DecimalString } from '#libs/kernel/core';
import type { ClosedMonth } from '#libs/contexts/revenue';
import type { ChangeToEarlierInvoice, GroupRevenue } from '#projections/ledger';
import type { MonthRevenue } from './month-figures.js';
import type {
  ContractRevenueView,
  EarlierMonthChangeView,
  MonthRevenueView,
  WaterfallRowView,
} from './revenue.dto.js';
import type { WaterfallRow } from './revenue-reports.js';

/** Returns the revenue figures of a month in the form of the API response. */
export function presentMonthRevenue(
  figures: MonthRevenue,
  closed: ClosedMonth | undefined,
): MonthRevenueView {
  const { month, currency, sources, ...amounts } = figures;
  const { billed, booked, recognised, deferred, unbilled } = amounts;
  return {
    month,
    currency,
    status: closed === undefined ? 'open' : 'closed',
    closedAt: closed?.closedAt ?? null,
    billed: jsonNumber(billed),
    booked: jsonNumber(booked),
    recognised: jsonNumber(recognised),
    sources: jsonNumbers(sources),
    deferred: jsonNumber(deferred),
    unbilled: jsonNumber(unbilled),
  };
}

/** Returns a credit note or a void on an invoice of an earlier month, in the form of the API response. */
export function presentChangeToEarlierInvoice({
  amount,
  ...change
}: ChangeToEarlierInvoice): EarlierMonthChangeView {
  return { ...change, amount: money(amount, change.currency) };
}

/** Returns a row of the revenue waterfall in the form of the API response. */
export function presentWaterfallRow({
  currency,
  booked,
  total,
  before,
  months,
  remaining,
}: WaterfallRow): WaterfallRowView {
  return {
    booked,
    currency,
    total: money(total, currency),
    before: money(before, currency),
    months: months.map(({ month, amount }) => ({ month, amount: money(amount, currency) })),
    remaining: money(remaining, currency),
  };
}

/** Returns the revenue of a customer, a plan or a price in the form of the API response. */
export function presentGroupRevenue(group: GroupRevenue, name: string | null): ContractRevenueView {
  const { id, currency, booked, recognised, deferred, unbilled } = group;
  return {
    id,
    name,
    currency,
    booked: money(booked, currency),
    recognised: money(recognised, currency),
    deferred: money(deferred, currency),
    unbilled: money(unbilled, currency),
  };
}

function money(amount: Decimal | DecimalString, currency: string): number {
  return jsonNumber(moneyString(new Decimal(amount), currency));
}
