import { Injectable } from '@nestjs/common';
import { Catalog, currentMetricVersion, metricNameIn, type Metric } from '#libs/contexts/catalog';
import type { PortalPrincipal } from '#libs/contexts/identity';
import { presentSubscription, type Subscription } from '#libs/contexts/subscriptions';
import { dayIn, jsonNumber, startOfMonth, Unavailable, type Instant, type Language } from '#libs/kernel/core';
import { KeyedConcurrencyLimits } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CreditTypeQueries } from '#projections/credit-types';
import { CustomerQueries } from '#projections/customers';
import { MetricQueries } from '#projections/metrics';
import { CustomerEntitlements } from '../entitlements/customer-entitlements.js';
import { PortalLanguageFinder } from './portal-language.js';
import { PortalSubscriptionFinder } from './portal-subscription-finder.js';
import { isSqlFailure } from './sql-failures.js';
import { daysOfPeriod, daysUntil, type UsageDay } from './usage-days.js';

/** The maximum number of metrics whose usage the portal shows to a customer. The metrics of the subscription come first. */
const MAX_METRICS = 100;
/** The maximum time for which a request waits for another request of the same customer. */
const WAIT_MILLIS = 10_000;

interface Period {
  readonly start: Instant;
  readonly end: Instant;
}

/** Measures the usage of a customer in its present period, for each metric and day. */
@Injectable()
export class PortalUsageMeter {
  /**
   * A page of charts needs many usage measurements, which are expensive. The requests of one customer run one after the other, so that no
   * browser can overload the database.
   */
  private readonly turns = new KeyedConcurrencyLimits({
    maxRunning: 1,
    waitMillis: WAIT_MILLIS,
    createRefusal: () =>
      new Unavailable('too_many_at_work', 'The usage is being measured already; try again shortly'),
  });

  constructor(
    private readonly subscriptions: PortalSubscriptionFinder,
    private readonly entitlements: CustomerEntitlements,
    private readonly catalog: Catalog,
    private readonly customers: CustomerQueries,
    private readonly creditTypes: CreditTypeQueries,
    private readonly metrics: MetricQueries,
    private readonly languages: PortalLanguageFinder,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Returns the usage in the present period of a subscription until now. Without a subscription, the usage is for the calendar month.
   * Throws like {@link PortalSubscriptionFinder.find}.
   */
  async measurePresentPeriod(customer: PortalPrincipal, subscriptionId?: string) {
    const { workspaceId, customerId } = customer;
    const subscription = await this.subscriptions.find(customer, subscriptionId);
    const [now, timezone] = await Promise.all([
      this.clock.now(workspaceId),
      subscription?.timezone ?? this.timezoneOf(workspaceId, customerId),
    ]);
    const period = periodOf(subscription, timezone, now);
    const days = daysUntil(daysOfPeriod(period, timezone), now);
    const metrics = await this.metricsOf(workspaceId, subscription);
    const language = await this.languages.find(customer);
    const measured = await this.turns.run(`${workspaceId} ${customerId}`, () =>
      Promise.all(metrics.map((metric) => this.usageOf(customer, metric, period, days, language))),
    );
    return {
      subscriptionId: subscription?.subscriptionId ?? null,
      periodStart: period.start,
      periodEnd: period.end,
      timezone,
      metrics: measured,
    };
  }

  private async usageOf(
    { workspaceId, customerId }: PortalPrincipal,
    metric: Metric,
    period: Period,
    days: readonly UsageDay[],
    language: Language,
  ) {
    const { metricId } = metric;
    const { aggregation } = currentMetricVersion(metric);
    const measure = ({ start, end }: Period) =>
      this.entitlements.measureConsumption(workspaceId, customerId, { metricId, start, end });
    // A metric in SQL reads all events at each measurement. So it is not measured for every day.
    const isSql = aggregation.type === 'sql';
    const [total, quantities] = await Promise.all([
      measure(period).catch((error: unknown) => {
        if (isSqlFailure(error)) return null;
        throw error;
      }),
      Promise.all(isSql ? [] : days.map(measure)),
    ]);
    return {
      metricId,
      name: metricNameIn(metric, language),
      aggregation: aggregation.type,
      total: total === null ? null : jsonNumber(total),
      days: quantities.map((quantity, i) => ({ date: days[i]!.date, quantity: jsonNumber(quantity) })),
    };
  }

  /**
   * Returns the metrics that the subscription's prices charge for, the metrics that measure its features, and the metrics that cost
   * credits.
   */
  private async metricsOf(workspaceId: string, subscription: Subscription | undefined): Promise<Metric[]> {
    const [features, creditTypes] = await Promise.all([
      subscription
        ? this.catalog
            .planVersion(workspaceId, subscription.planId, subscription.planVersion)
            .then((version) => version.features)
        : [],
      this.creditTypes.allCreditTypes(workspaceId),
    ]);
    const ids = new Set([
      ...(subscription?.items ?? []).flatMap(({ price }) => price.metricId ?? []),
      ...features.flatMap(({ metricId }) => metricId ?? []),
      ...creditTypes.flatMap(({ rates }) => rates.map(({ metricId }) => metricId)),
    ]);
    const shown = [...ids].slice(0, MAX_METRICS);
    const found = new Map(
      (await this.metrics.findByIds(workspaceId, shown)).map((metric) => [metric.metricId, metric]),
    );
    return shown.flatMap((id) => found.get(id) ?? []);
  }

  private async timezoneOf(workspaceId: string, customerId: string): Promise<string> {
    return (await this.customers.get(workspaceId, customerId)).state.timezone;
  }
}

/**
 * Returns the present period of the subscription. Returns the calendar month if there is no subscription, or if the subscription has no
 * period now.
 */
function periodOf(subscription: Subscription | undefined, timezone: string, now: Instant): Period {
  const present = subscription && presentSubscription(subscription);
  if (present?.currentPeriodStart && present.currentPeriodEnd)
    return { start: present.currentPeriodStart, end: present.currentPeriodEnd };
  const [year, month] = dayIn(timezone, now).split('-').map(Number) as [number, number];
  return { start: startOfMonth(year, month - 1, timezone), end: startOfMonth(year, month, timezone) };
}
