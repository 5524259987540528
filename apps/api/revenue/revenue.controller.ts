import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Decimal, moneyString, toCsv, type Instant } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Principal } from '#libs/contexts/identity';
import { ClosedMonths } from '#libs/contexts/revenue';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { REVENUE_SOURCES } from '#projections/ledger';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { Context, csvAnswer, jsonOrCsv, TakesLong } from '../http/index.js';
import { RevenueGroupNameFinder } from './revenue-group-name-finder.js';
import { MonthCloser } from './month-closer.js';
import {
  presentChangeToEarlierInvoice,
  presentGroupRevenue,
  presentMonthRevenue,
  presentWaterfallRow,
} from './present.js';
import { readReportedMonths, type ReportedMonths } from './reported-months.js';
import { RevenueReports } from './revenue-reports.js';
import {
  ClosedMonthView,
  ContractsQuery,
  ContractsView,
  GenerateRevenueBody,
  RevenueQuery,
  RevenueSummaryView,
  WaterfallView,
} from './revenue.dto.js';

const MONTH_COLUMNS = ['billed', 'booked', 'recognised', 'deferred', 'unbilled'] as const;

@ApiTags('Revenue')
@ApiExtraModels(RevenueSummaryView, WaterfallView, ContractsView)
@Controller('v1/revenue')
export class RevenueController {
  constructor(
    private readonly closer: MonthCloser,
    private readonly closed: ClosedMonths,
    private readonly reports: RevenueReports,
    private readonly names: RevenueGroupNameFinder,
    private readonly clock: WorkspaceClock,
  ) {}

  @Post('generate')
  @HttpCode(200)
  @TakesLong()
  @RequiresPermission('revenue:write')
  @ApiOperation({
    summary: 'Close a month: freeze its figures, by currency',
    description:
      'The unbilled revenue is measured once more, so that late usage is still counted in its month, unless the end of the next month was ' +
      'measured before. Months are closed in order, from the first one with postings; `skipEarlierMonths` begins later. A change that comes after the ' +
      'closing is posted in the month in which it happens. Closing a closed month changes nothing.',
  })
  @ApiOkResponse({ type: ClosedMonthView })
  async generate(
    @Context() context: CommandContext,
    @Body() { period, skipEarlierMonths }: GenerateRevenueBody,
  ): Promise<ClosedMonthView> {
    const month = await this.closer.close(context, period, { skipsEarlierMonths: skipEarlierMonths });
    const { figures } = await this.reports.monthFigures(
      context.workspaceId,
      { from: period, to: period },
      context.now,
    );
    return { period, closedAt: month.closedAt, data: figures.map((one) => presentMonthRevenue(one, month)) };
  }

  @Get('summary')
  @RequiresPermission('revenue:read')
  @ApiOperation({
    summary: 'Get the booked, earned, deferred and unbilled revenue, by month and currency',
    description:
      'Each month is `open` or `closed`. A closed month keeps the amounts with which it was closed. `format=csv` downloads a ' +
      'file.',
  })
  @ApiOkResponse(jsonOrCsv(RevenueSummaryView))
  async summary(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { format, bom, ...query }: RevenueQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RevenueSummaryView | string> {
    const { reported, now } = await this.reported(workspaceId, query);
    const { figures } = await this.reports.monthFigures(workspaceId, reported, now);
    const closed = new Map((await this.closed.ofWorkspace(workspaceId)).map((one) => [one.month, one]));
    const data = figures.map((one) => presentMonthRevenue(one, closed.get(one.month)));
    if (format === 'csv') {
      const columns = [
        'month',
        'currency',
        'status',
        'closedAt',
        ...MONTH_COLUMNS,
        ...REVENUE_SOURCES.map(sourceColumn),
      ];
      const rows = figures.map(({ sources, ...one }) => ({
        ...one,
        status: closed.has(one.month) ? 'closed' : 'open',
        closedAt: closed.get(one.month)?.closedAt ?? null,
        ...Object.fromEntries(REVENUE_SOURCES.map((source) => [sourceColumn(source), sources[source]])),
      }));
      return csv(reply, { name: 'revenue-summary', bom }, { columns, rows, texts: 4 });
    }
    const changes = await this.reports.changesToEarlierInvoices(workspaceId, reported, now);
    const { from, to } = reported;
    return { from, to, data, changesOfEarlierMonths: changes.map(presentChangeToEarlierInvoice) };
  }

  @Get('waterfall')
  @RequiresPermission('revenue:read')
  @ApiOperation({
    summary: 'Get the revenue waterfall: the months in which the bookings of each month were earned',
    description:
      'Each row is the month of a booking, and each column the month in which it was earned. `format=csv` downloads a file.',
  })
  @ApiOkResponse(jsonOrCsv(WaterfallView))
  async waterfall(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { format, bom, ...query }: RevenueQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WaterfallView | string> {
    const { reported, now } = await this.reported(workspaceId, query);
    const rows = await this.reports.waterfall(workspaceId, reported, now);
    const { from, to } = reported;
    if (format === 'json') return { from, to, data: rows.map(presentWaterfallRow) };
    const months = [...new Set(rows.flatMap((row) => row.months.map(({ month }) => month)))];
    return csv(
      reply,
      { name: 'revenue-waterfall', bom },
      {
        columns: ['booked', 'currency', 'total', 'before', ...months, 'remaining'],
        texts: 2,
        rows: rows.map(({ booked, currency, total, before, months: cells, remaining }) => ({
          booked,
          currency,
          total: moneyString(total, currency),
          before: moneyString(before, currency),
          ...Object.fromEntries(cells.map(({ month, amount }) => [month, moneyString(amount, currency)])),
          remaining: moneyString(remaining, currency),
        })),
      },
    );
  }

  @Get('contracts')
  @RequiresPermission('revenue:read')
  @ApiOperation({
    summary: 'Get the booked, earned, deferred and unbilled revenue of each customer, plan or price',
    description:
      '`groupBy` says what each row is for. Amounts are in the currency of the row. `format=csv` downloads a file.',
  })
  @ApiOkResponse(jsonOrCsv(ContractsView))
  async contracts(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { format, bom, groupBy, ...query }: ContractsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContractsView | string> {
    const { reported, now } = await this.reported(workspaceId, query);
    const groups = await this.reports.revenueByGroup(workspaceId, groupBy, reported, now);
    const names = await this.names.namesOf(
      workspaceId,
      groupBy,
      groups.flatMap(({ id }) => id ?? []),
    );
    const nameOf = (id: string | null) => names.get(id ?? '') ?? null;
    const { from, to } = reported;
    if (format === 'json')
      return { from, to, groupBy, data: groups.map((group) => presentGroupRevenue(group, nameOf(group.id))) };
    const rows = groups.map(({ id, currency, ...amounts }) => ({
      id,
      name: nameOf(id),
      currency,
      ...Object.fromEntries(
        Object.entries(amounts).map(([name, amount]) => [name, moneyString(new Decimal(amount), currency)]),
      ),
    }));
    const columns = ['id', 'name', 'currency', 'booked', 'recognised', 'deferred', 'unbilled'];
    return csv(reply, { name: 'revenue-contracts', bom }, { columns, rows, texts: 3 });
  }

  private async reported(
    workspaceId: string,
    query: Pick<RevenueQuery, 'since' | 'until' | 'currency'>,
  ): Promise<{ reported: ReportedMonths; now: Instant }> {
    const now = await this.clock.now(workspaceId);
    return { reported: readReportedMonths(query, now), now };
  }
}

function sourceColumn(source: string): string {
  return `recognised_${source}`;
}

/** The content of a CSV file. The first `texts` columns are texts, and the other columns are amounts. */
interface CsvTable {
  readonly columns: readonly string[];
  readonly texts: number;
  readonly rows: readonly Readonly<Record<string, string | null>>[];
}

function csv(
  reply: FastifyReply,
  file: { name: string; bom: boolean },
  { columns, texts, rows }: CsvTable,
): string {
  return csvAnswer(reply, file, toCsv(columns, rows, columns.slice(texts)));
}
