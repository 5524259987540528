import { Injectable } from '@nestjs/common';
import { type NameTranslations, NotFound, omit } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import type { MinimumCommitment, PriceSnapshot } from '#libs/rating';
import type { MetricDefinition } from '#libs/usage';
import { currentMetricVersion, metricDecider, requireMetric, type Metric } from './metrics/metric.js';
import type { BillingThresholds } from './plans/billing-thresholds.js';
import { planDecider, planVersion, requirePlan, type Plan, type PlanVersion } from './plans/plan.js';
import { currentPriceVersion, priceDecider, type Price, type PriceVersion } from './prices/price.js';

/** The plan for a new subscription: the published version of the plan, with the newest versions of its prices. */
export interface ResolvedPlan {
  planId: string;
  planVersion: number;
  name: string;
  /** The name in other languages. Absent if there are none. */
  planNameTranslations?: NameTranslations;
  currency: string;
  trialDays: number;
  /**
   * The least amount that the plan charges for each billing period, or for each interval of the commitment. Absent if the plan has no
   * minimum.
   */
  minimumCommitment?: MinimumCommitment;
  /** The thresholds at which usage is invoiced before its period ends. Absent if the plan has no thresholds. */
  billingThresholds?: BillingThresholds;
  prices: PriceSnapshot[];
}

/** Provides the catalog to the commands of other contexts. The catalog is read from its streams, never from a read model. */
@Injectable()
export class Catalog {
  constructor(private readonly aggregates: AggregateStore) {}

  /** Returns the plan. Throws NotFound if the plan is not in the workspace or is deleted. */
  async requirePlan(workspaceId: string, planId: string): Promise<Plan> {
    return requirePlan(planId, await this.aggregates.load(planDecider, aggregateId(workspaceId, planId)));
  }

  /**
   * Returns the published version of a plan with the newest versions of its prices, for a new subscription. Throws NotFound if the plan is
   * not in the workspace or is deleted.
   */
  async resolvePlan(workspaceId: string, planId: string): Promise<ResolvedPlan> {
    const plan = await this.requirePlan(workspaceId, planId);
    const published = planVersion(plan, plan.publishedVersion);
    const {
      version,
      name,
      nameTranslations,
      currency,
      trialDays,
      minimumCommitment,
      billingThresholds,
      prices,
    } = published;
    return {
      planId,
      planVersion: version,
      name,
      ...(nameTranslations === undefined ? {} : { planNameTranslations: nameTranslations }),
      currency,
      trialDays,
      ...(minimumCommitment === null ? {} : { minimumCommitment }),
      ...(billingThresholds === null ? {} : { billingThresholds }),
      prices: await Promise.all(prices.map((priceId) => this.priceSnapshot(workspaceId, priceId))),
    };
  }

  /**
   * Returns the newest version of a price, in the form that a subscription stores. Throws NotFound if the price is not in the workspace or
   * is deleted.
   */
  async resolvePrice(workspaceId: string, priceId: string): Promise<PriceSnapshot> {
    const price = await this.findPrice(workspaceId, priceId);
    if (price.deleted) throw NotFound.of('price', priceId);
    return snapshotOf(priceId, currentPriceVersion(price));
  }

  /** Returns a version of a plan, even if the plan is deleted. Throws NotFound if the plan or the version never existed. */
  async planVersion(workspaceId: string, planId: string, version: number): Promise<PlanVersion> {
    const state = await this.aggregates.load(
      planDecider,
      aggregateId(workspaceId, planId),
      // A version never changes. So any state in memory that has the version is new enough.
      ({ plan }) => plan?.versions.some((one) => one.version === version) ?? false,
    );
    if (!state?.plan) throw NotFound.of('plan', planId);
    return planVersion(state.plan, version);
  }

  /** Returns the metric. Throws NotFound if the metric is not in the workspace or is deleted. */
  async requireMetric(workspaceId: string, metricId: string): Promise<Metric> {
    return requireMetric(metricId, await this.findMetric(workspaceId, metricId));
  }

  /** Returns the present names of a metric, even if the metric is deleted. Throws NotFound if the metric never existed. */
  async metricNames(
    workspaceId: string,
    metricId: string,
  ): Promise<{ name: string; nameTranslations: NameTranslations }> {
    const metric = await this.findMetric(workspaceId, metricId);
    if (!metric) throw NotFound.of('metric', metricId);
    const { name, nameTranslations = {} } = currentMetricVersion(metric);
    return { name, nameTranslations };
  }

  /**
   * Returns the definition of a metric's version: how the metric counts usage. Without `version`, the definition of the current version is
   * returned. Deleted metrics are found too, because subscriptions can still be charged for them. Throws NotFound if the metric or the
   * version never existed.
   */
  async metricDefinition(workspaceId: string, metricId: string, version?: number): Promise<MetricDefinition> {
    const metric = await this.findMetric(workspaceId, metricId);
    if (!metric) throw NotFound.of('metric', metricId);
    const found =
      version === undefined ? metric.versions.at(-1) : metric.versions.find((one) => one.version === version);
    if (!found) throw NotFound.of('metric version', `${metricId} ${version}`);
    return {
      metricId,
      version: found.version,
      workspaceId,
      eventName: found.eventName,
      aggregation: found.aggregation,
    };
  }

  /**
   * Returns a version of a price in the form that subscriptions store, even if the price is deleted. Throws NotFound if the price or the
   * version never existed.
   */
  async priceVersion(workspaceId: string, priceId: string, version: number): Promise<PriceSnapshot> {
    const price = await this.findPrice(workspaceId, priceId);
    const found = price.versions.find((one) => one.version === version);
    if (!found) throw NotFound.of('price version', `${priceId} ${version}`);
    return snapshotOf(priceId, found);
  }

  private async findMetric(workspaceId: string, metricId: string): Promise<Metric | undefined> {
    return this.aggregates.load(metricDecider, aggregateId(workspaceId, metricId));
  }

  /**
   * Returns the newest version of a price that a plan offers, even if the price is deleted. The price is always found, because a plan's
   * version can only be created with prices that exist.
   */
  private async priceSnapshot(workspaceId: string, priceId: string): Promise<PriceSnapshot> {
    return snapshotOf(priceId, currentPriceVersion(await this.findPrice(workspaceId, priceId)));
  }

  /** Returns the price, even if it is deleted. */
  private async findPrice(workspaceId: string, priceId: string): Promise<Price> {
    const state = await this.aggregates.load(priceDecider, aggregateId(workspaceId, priceId));
    if (!state?.price) throw NotFound.of('price', priceId);
    return state.price;
  }
}

function snapshotOf(priceId: string, version: PriceVersion): PriceSnapshot {
  const { licenseTypeId, taxRateIds = null } = version;
  return {
    priceId,
    ...omit(version, ['createdAt', 'description', 'licenseTypeId', 'taxRateIds']),
    ...(licenseTypeId === null ? {} : { licenseTypeId }),
    ...(taxRateIds === null ? {} : { taxRateIds }),
  };
}
