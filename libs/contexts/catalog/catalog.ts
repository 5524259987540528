import { Injectable } from '@nestjs/common';
import { NotFound } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import type { MinimumCommitment, PriceSnapshot } from '#libs/rating';
import type { MetricDefinition } from '#libs/usage';
import { metricDecider, requireMetric, type Metric } from './metrics/metric.js';
import type { BillingThresholds } from './plans/billing-thresholds.js';
import { planDecider, planVersion, requirePlan, type Plan, type PlanVersion } from './plans/plan.js';
import { currentPriceVersion, priceDecider, type Price, type PriceVersion } from './prices/price.js';

/** What a subscription that starts now gets: the published version of the plan with its prices as they are now. */
export interface ResolvedPlan {
  planId: string;
  planVersion: number;
  name: string;
  currency: string;
  trialDays: number;
  /** What each billing period or interval comes to at least; absent: no least amount. */
  minimumCommitment?: MinimumCommitment;
  /** When usage is invoiced before its period is over; absent: never. */
  billingThresholds?: BillingThresholds;
  prices: PriceSnapshot[];
}

/** The catalog as the other contexts' commands see it: read from its streams, never from a read model. */
@Injectable()
export class Catalog {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The plan; NotFound if it is not in the workspace or is deleted. */
  async requirePlan(workspaceId: string, planId: string): Promise<Plan> {
    return requirePlan(planId, await this.aggregates.load(planDecider, aggregateId(workspaceId, planId)));
  }

  /** The published version of a plan with its prices' newest versions, for a subscription to pin. NotFound as above. */
  async resolvePlan(workspaceId: string, planId: string): Promise<ResolvedPlan> {
    const plan = await this.requirePlan(workspaceId, planId);
    const { version, name, currency, trialDays, minimumCommitment, billingThresholds, prices } = planVersion(
      plan,
      plan.publishedVersion,
    );
    return {
      planId,
      planVersion: version,
      name,
      currency,
      trialDays,
      ...(minimumCommitment === null ? {} : { minimumCommitment }),
      ...(billingThresholds === null ? {} : { billingThresholds }),
      prices: await Promise.all(prices.map((priceId) => this.priceSnapshot(workspaceId, priceId))),
    };
  }

  /** A price's newest version, for a subscription to pin. NotFound if it is not in the workspace or is deleted. */
  async resolvePrice(workspaceId: string, priceId: string): Promise<PriceSnapshot> {
    const price = await this.findPrice(workspaceId, priceId);
    if (price.deleted) throw NotFound.of('price', priceId);
    return snapshotOf(priceId, currentPriceVersion(price));
  }

  /** A version of a plan, also of a deleted one. NotFound if there never was such a plan or version. */
  async planVersion(workspaceId: string, planId: string, version: number): Promise<PlanVersion> {
    const state = await this.aggregates.load(planDecider, aggregateId(workspaceId, planId));
    if (!state?.plan) throw NotFound.of('plan', planId);
    return planVersion(state.plan, version);
  }

  /** The metric; NotFound if it is not in the workspace or is deleted. */
  async requireMetric(workspaceId: string, metricId: string): Promise<Metric> {
    return requireMetric(metricId, await this.findMetric(workspaceId, metricId));
  }

  /**
   * What is to be measured for a metric, by its current version or an earlier one. Deleted metrics have it too, since subscriptions may
   * still be charged for them. NotFound if there never was such a metric or version.
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
   * A version of a price as subscriptions hold it; also of a deleted price. NotFound if there never was such a price or
   * version.
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

  /** The newest version of a price that a plan offers. It was there when the plan's version was made. */
  private async priceSnapshot(workspaceId: string, priceId: string): Promise<PriceSnapshot> {
    return snapshotOf(priceId, currentPriceVersion(await this.findPrice(workspaceId, priceId)));
  }

  /** The price, deleted or not. */
  private async findPrice(workspaceId: string, priceId: string): Promise<Price> {
    const state = await this.aggregates.load(priceDecider, aggregateId(workspaceId, priceId));
    if (!state?.price) throw NotFound.of('price', priceId);
    return state.price;
  }
}

function snapshotOf(priceId: string, version: PriceVersion): PriceSnapshot {
  const { createdAt: _, description: __, licenseTypeId, taxRateIds = null, ...terms } = version;
  return {
    ...{ priceId, ...terms },
    ...(licenseTypeId === null ? {} : { licenseTypeId }),
    ...(taxRateIds === null ? {} : { taxRateIds }),
  };
}
