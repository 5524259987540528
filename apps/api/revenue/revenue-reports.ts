import { Injectable } from '@nestjs/common';
import { Decimal, sumOf, type Instant } from '#libs/kernel/core';
import { lastInstantOfMonth, monthBefore, type BookMonth } from '#libs/contexts/revenue';
import {
  LedgerQueries,
  RevenueQueries,
  type DateRange,
  type GroupRevenue,
  type RevenueGrouping,
} from '#projections/ledger';
import { computeMonthRevenue, revenueBalancesOf, type MonthRevenue } from './month-figures.js';
import { monthsOf, type ReportedMonths } from './reported-months.js';

/** A row of the revenue waterfall: the revenue that was booked in a month, and the months in which it was earned. */
export interface WaterfallRow {
  readonly currency: string;
  /**
   * The month in which the invoices were opened; `prepaid_credits` for bought credits and their use; `unbilled` for revenue that is not
   * invoiced.
   */
  readonly booked: string;
  /** The revenue that was booked by the end of the last month of the report. */
  readonly total: Decimal;
  /** The revenue that was earned before the first month of the report. */
  readonly before: Decimal;
  /** The revenue that was earned in each month of the report. */
  readonly months: readonly { readonly month: BookMonth; readonly amount: Decimal }[];
  /** The revenue that is not earned by the end of the last month of the report. */
  readonly remaining: Decimal;
}

/** Makes the revenue reports from the ledger. */
@Injectable()
export class RevenueReports {
  constructor(
    private readonly revenue: RevenueQueries,
    private readonly ledger: LedgerQueries,
  ) {}

  /** Returns the revenue figures of each month and currency, and the log position up to which the ledger is complete. */
  async monthFigures(
    workspaceId: string,
    reported: ReportedMonths,
    now: Instant,
  ): Promise<{ figures: MonthRevenue[]; position: string | null }> {
    const months = monthsOf(reported);
    const earned = await this.revenue.earnedAmounts(workspaceId, datesOf(reported), now);
    let { balances } = await this.ledger.balancesAt(workspaceId, lastDateOf(monthBefore(reported.from)), now);
    let position: string | undefined;
    const figures: MonthRevenue[] = [];
    for (const month of months) {
      const before = revenueBalancesOf(balances);
      ({ balances, position } = await this.ledger.balancesAt(workspaceId, lastDateOf(month), now));
      figures.push(...computeMonthRevenue(month, earned, before, revenueBalancesOf(balances)));
    }
    return { figures: figures.filter(isIn(reported)), position: position ?? null };
  }

  /** Returns the first month with postings. Undefined if there are none. */
  async firstPostedMonth(workspaceId: string): Promise<BookMonth | undefined> {
    return (await this.revenue.firstPostedDate(workspaceId))?.slice(0, '2026-01'.length);
  }

  /** Returns the rows of the revenue waterfall, by currency and by the month of the booking. */
  async waterfall(workspaceId: string, reported: ReportedMonths, now: Instant): Promise<WaterfallRow[]> {
    const parts = (await this.revenue.waterfallAmounts(workspaceId, datesOf(reported), now)).filter(
      isIn(reported),
    );
    const rows = Map.groupBy(parts, ({ currency, booked }) => `${currency} ${booked}`);
    return [...rows.values()].map((own) => {
      const { currency, booked } = own[0]!;
      const sum = (isWanted: (month: string | null) => boolean) =>
        sumOf(own.filter(({ month }) => isWanted(month)).map(({ amount }) => amount));
      return {
        currency,
        booked,
        total: sum(() => true),
        before: sum((month) => month !== null && month < reported.from),
        months: monthsOf(reported).map((month) => ({ month, amount: sum((one) => one === month) })),
        remaining: sum((month) => month === null),
      };
    });
  }

  /** Returns the revenue of each customer, plan or price. */
  async revenueByGroup(
    workspaceId: string,
    group: RevenueGrouping,
    reported: ReportedMonths,
    now: Instant,
  ): Promise<GroupRevenue[]> {
    return (await this.revenue.revenueByGroup(workspaceId, group, datesOf(reported), now)).filter(
      isIn(reported),
    );
  }

  /** Returns the credit notes and voids in the reported months whose invoices were opened in earlier months. */
  async changesToEarlierInvoices(workspaceId: string, reported: ReportedMonths, now: Instant) {
    const changes = await this.revenue.changesToEarlierInvoices(workspaceId, datesOf(reported), now);
    return changes.filter(isIn(reported));
  }
}

function datesOf({ from, to }: ReportedMonths): DateRange {
  return { first: `${from}-01`, last: lastDateOf(to) };
}

function lastDateOf(month: BookMonth): string {
  return lastInstantOfMonth(month, 'UTC').slice(0, 10);
}

function isIn({ currency }: ReportedMonths): (row: { readonly currency: string }) => boolean {
  return (row) => currency === undefined || row.currency === currency;
}
