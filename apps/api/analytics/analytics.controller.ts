import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { currentMetricVersion } from '#libs/contexts/catalog';
import type { Principal } from '#libs/contexts/identity';
import { lastInstantOfMonth, monthContaining } from '#libs/contexts/revenue';
import { addSeconds, Decimal, jsonNumber, moneyString, NotFound, sumOf } from '#libs/kernel/core';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { minimumAndIntervalOf, MONTHS_PER_PERIOD } from '#libs/rating';
import { EventAggregationQueries } from '#libs/usage';
import { RECEIVABLE_AGES } from '#libs/contexts/invoicing';
import { ReceivablesQueries } from '#projections/invoices';
import { RevenueQueries } from '#projections/ledger';
import { MetricQueries } from '#projections/metrics';
import { PriceQueries } from '#projections/prices';
import { RecurringRevenueQueries } from '#projections/recurring-revenue';
import { CurrentPrincipal, RequiresPermission } from '../http/auth/index.js';
import { TakesLong } from '../http/index.js';
import { monthsOf, readReportedMonths } from '../revenue/index.js';
import {
  CurrencyQuery,
  ForecastView,
  MrrQuery,
  MrrView,
  ReceivablesView,
  UsageAnalyticsQuery,
  UsageAnalyticsView,
  UsageWindowView,
} from './analytics.dto.js';
import {
  ASSUMPTIONS,
  forecast,
  trendMonths,
  type CommittedSubscription,
  type UsageRevenue,
} from './forecast.js';
import { presentMrr } from './mrr.js';

const WINDOWS = { day: 'DAY', month: 'MONTH' } as const;

@ApiTags('Analytics')
@Controller('v1/analytics')
export class AnalyticsController {
  constructor(
    private readonly recurring: RecurringRevenueQueries,
    private readonly receivable: ReceivablesQueries,
    private readonly revenue: RevenueQueries,
    private readonly metrics: MetricQueries,
    private readonly prices: PriceQueries,
    private readonly events: EventAggregationQueries,
    private readonly clock: WorkspaceClock,
  ) {}

  @Get('mrr')
  @RequiresPermission('revenue:read')
  @ApiOperation({
    summary: 'Get the monthly recurring revenue, and what changed it, by month and currency',
    description:
      'Monthly recurring revenue is the sum of the recurring fees of all subscriptions, before coupons and taxes. A subscription ' +
      'counts from its start until its end, but not in a trial or a pause. Each fee is divided by the number of months in its ' +
      "period. A change counts in the month of the subscription's time zone.",
  })
  @ApiOkResponse({ type: MrrView })
  async mrr(@CurrentPrincipal() { workspaceId }: Principal, @Query() query: MrrQuery): Promise<MrrView> {
    const { from, to, currency } = readReportedMonths(query, await this.clock.now(workspaceId));
    const movements = await this.recurring.movementTotals(workspaceId, to);
    const wanted = movements.filter((one) => currency === undefined || one.currency === currency);
    return { from, to, data: presentMrr(monthsOf({ from, to }), wanted) };
  }

  @Get('usage')
  @TakesLong()
  @RequiresPermission('usage:read')
  @ApiOperation({
    summary: 'Get the usage of each metric by day or month, in UTC',
    description: 'The stored events are aggregated by the present version of each metric.',
  })
  @ApiOkResponse({ type: UsageAnalyticsView })
  async usage(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { window, metricId, customerId, ...months }: UsageAnalyticsQuery,
  ): Promise<UsageAnalyticsView> {
    const { from, to } = readReportedMonths(months, await this.clock.now(workspaceId));
    const all = (await this.metrics.liveMetrics(workspaceId)).filter(
      (metric) => metricId === undefined || metric.metricId === metricId,
    );
    if (metricId !== undefined && all.length === 0) throw NotFound.of('metric', metricId);
    const data: UsageWindowView[] = [];
    const leftOut: string[] = [];
    for (const metric of all) {
      const { name, eventName, aggregation } = currentMetricVersion(metric);
      if (aggregation.type === 'sql') {
        leftOut.push(metric.metricId);
        continue;
      }
      const { groupBy: _, ...ungrouped } = aggregation;
      const rows = await this.events.query({
        workspaceId,
        eventName,
        aggregation: ungrouped,
        windowSize: WINDOWS[window],
        windowTimeZone: 'UTC',
        ...(customerId === undefined ? {} : { customerIds: [customerId] }),
        startTime: `${from}-01T00:00:00.000Z`,
        endTime: addSeconds(lastInstantOfMonth(to, 'UTC'), 0.001),
      });
      data.push(
        ...rows.map(({ windowStart: start, windowEnd: end, value }) => ({
          metricId: metric.metricId,
          name,
          start,
          end,
          value: jsonNumber(value),
        })),
      );
    }
    return { from, to, data, leftOut };
  }

  @Get('receivables')
  @RequiresPermission('revenue:read')
  @ApiOperation({
    summary: 'Get what customers owe on open invoices, by currency and age',
    description:
      'Ages are in days after the due date. Amounts are what is still due, in the currency of the entry.',
  })
  @ApiOkResponse({ type: ReceivablesView })
  async receivables(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { currency }: CurrencyQuery,
  ): Promise<ReceivablesView> {
    const at = await this.clock.now(workspaceId);
    const totals = (await this.receivable.totalsByAge(workspaceId, at)).filter(
      (one) => currency === undefined || one.currency === currency,
    );
    const data = [...Map.groupBy(totals, (one) => one.currency)].map(([code, own]) => ({
      currency: code,
      total: jsonNumber(moneyString(sumOf(own.map(({ amount }) => amount)), code)),
      ages: RECEIVABLE_AGES.map((age) => {
        const found = own.find((one) => one.age === age);
        const amount = moneyString(new Decimal(found?.amount ?? '0'), code);
        return { age, invoices: found?.invoices ?? 0, amount: jsonNumber(amount) };
      }),
    }));
    return { at, data };
  }

  @Get('forecast')
  @RequiresPermission('revenue:read')
  @ApiOperation({
    summary: 'Get a revenue forecast for the next three months, with its assumptions',
    description:
      'Each month has the expected recurring fees, usage, minimums and total, by currency. The assumptions are sentences ' +
      'for the reader. Nothing is stored.',
  })
  @ApiOkResponse({ type: ForecastView })
  async forecast(
    @CurrentPrincipal() { workspaceId }: Principal,
    @Query() { currency }: CurrencyQuery,
  ): Promise<ForecastView> {
    const now = await this.clock.now(workspaceId);
    const present = monthContaining(now, 'UTC');
    const isWanted = (one: { readonly currency: string }) =>
      currency === undefined || one.currency === currency;
    const planned = (await this.recurring.amountsByPlannedEnd(workspaceId)).filter(isWanted);
    const history = (await this.usageRevenue(workspaceId, present, now)).filter(isWanted);
    const committed = (await this.committed(workspaceId, present, now)).filter(isWanted);
    const data = forecast(present, planned, history, committed).map(
      ({ fees, usage, minimums, total, ...month }) => ({
        ...month,
        fees: jsonNumber(fees),
        usage: jsonNumber(usage),
        minimums: jsonNumber(minimums),
        total: jsonNumber(total),
      }),
    );
    return { assumptions: ASSUMPTIONS, data };
  }

  /** Returns the subscriptions with a minimum commitment, with what they earned in the months of `trendMonths` by usage. */
  private async committed(
    workspaceId: string,
    present: string,
    now: string,
  ): Promise<CommittedSubscription[]> {
    const found = await this.recurring.committedSubscriptions(workspaceId);
    if (found.length === 0) return [];
    const months = trendMonths(present);
    const range = {
      first: `${months[0]!}-01`,
      last: lastInstantOfMonth(months.at(-1)!, 'UTC').slice(0, 10),
    };
    const metered = await this.meteredPrices(workspaceId, range, now);
    const earned = Map.groupBy(
      await this.revenue.revenueBySubscription(workspaceId, metered, range, now),
      (one) => `${one.subscriptionId} ${one.currency}`,
    );
    return found.map(({ subscriptionId, currency, endsAt, commitment, billingInterval, amount }) => {
      const { minimum, interval = billingInterval } = minimumAndIntervalOf(commitment);
      const own = earned.get(`${subscriptionId} ${currency}`) ?? [];
      return {
        currency,
        endsAt,
        fees: new Decimal(amount),
        minimum: new Decimal(minimum).dividedBy(MONTHS_PER_PERIOD[interval]),
        usage: sumOf(own.map((one) => one.amount)),
      };
    });
  }

  /** Returns the prices with a metric that have revenue in the date range. */
  private async meteredPrices(
    workspaceId: string,
    range: { readonly first: string; readonly last: string },
    now: string,
  ): Promise<string[]> {
    const found = await this.revenue.revenueByGroup(workspaceId, 'price', range, now);
    return this.withMetric(workspaceId, [...new Set(found.flatMap(({ id }) => id ?? []))]);
  }

  private async withMetric(workspaceId: string, priceIds: readonly string[]): Promise<string[]> {
    return (await this.prices.findByIds(workspaceId, priceIds))
      .filter(({ versions }) => versions.at(-1)!.metricId !== null)
      .map(({ priceId }) => priceId);
  }

  /** Returns the usage revenue in the months of `trendMonths`, from the ledger. Usage revenue is the revenue of prices with a metric. */
  private async usageRevenue(workspaceId: string, present: string, now: string): Promise<UsageRevenue[]> {
    const history: (UsageRevenue & { priceId: string })[] = [];
    for (const month of trendMonths(present)) {
      const range = { first: `${month}-01`, last: lastInstantOfMonth(month, 'UTC').slice(0, 10) };
      for (const { id, currency, recognised } of await this.revenue.revenueByGroup(
        workspaceId,
        'price',
        range,
        now,
      ))
        if (id !== null) history.push({ month, currency, priceId: id, amount: new Decimal(recognised) });
    }
    const ids = [...new Set(history.map(({ priceId }) => priceId))];
    const metered = new Set(await this.withMetric(workspaceId, ids));
    return history.filter(({ priceId }) => metered.has(priceId));
  }
}
