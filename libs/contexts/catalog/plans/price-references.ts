import { Injectable } from '@nestjs/common';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { billingIntervalOf, type RecurringCadence } from '#libs/rating';
import { invalidFieldsError } from '../details.js';
import { metricDecider, requireMetric } from '../metrics/metric.js';
import { currentPriceVersion, priceDecider, requirePrice } from '../prices/price.js';
import type { PlanFeature } from './plan-features.js';

/** Checks the prices and metrics that a plan names, and writes references to the plan on the streams of the prices. */
@Injectable()
export class PriceReferences {
  constructor(private readonly aggregates: AggregateStore) {}

  /**
   * Returns the currency of the prices and the billing interval that follows from them. Throws NotFound if a price does not exist. Throws
   * InvalidRequest if the currency of a price differs from the currency of the first price. The error names the position in `prices` of the
   * first price with another currency. The cadences of the prices can differ.
   */
  async currencyAndIntervalOf(
    workspaceId: string,
    priceIds: readonly string[],
  ): Promise<{ currency: string; billingInterval: RecurringCadence }> {
    const prices = await Promise.all(
      priceIds.map(async (priceId) =>
        requirePrice(priceId, await this.aggregates.load(priceDecider, aggregateId(workspaceId, priceId))),
      ),
    );
    const versions = prices.map(currentPriceVersion);
    const currencies = versions.map(({ config }) => config.currency);
    const odd = currencies.findIndex((currency) => currency !== currencies[0]);
    if (odd !== -1)
      throw invalidFieldsError([
        {
          field: `prices[${odd}]`,
          message: `must be in ${currencies[0]!} as the first price is, not in ${currencies[odd]!}: a plan has one currency`,
        },
      ]);
    return { currency: currencies[0]!, billingInterval: billingIntervalOf(versions) };
  }

  /**
   * Throws NotFound if a metric of a feature does not exist. If the metric of a feature is deleted later, it still measures the feature.
   */
  async requireMetrics(workspaceId: string, features: readonly PlanFeature[]): Promise<void> {
    const metricIds = new Set(features.flatMap(({ metricId }) => metricId ?? []));
    await Promise.all(
      [...metricIds].map(async (metricId) =>
        requireMetric(
          metricId,
          await this.aggregates.load(metricDecider, aggregateId(workspaceId, metricId)),
        ),
      ),
    );
  }

  /** Records, on the streams of the prices, that a plan will offer them. Throws NotFound if a price does not exist any more. */
  async writeReferences(
    context: CommandContext,
    priceIds: readonly string[],
    { planId, planRevision }: { planId: string; planRevision: number },
  ): Promise<void> {
    await Promise.all(
      priceIds.map(async (priceId) => {
        const id = aggregateId(context.workspaceId, priceId);
        const command = { type: 'ReferencePrice', priceId, planId, planRevision } as const;
        const following = followUpContext(context, `reference ${priceId} ${planId} ${planRevision}`);
        await this.aggregates.execute(priceDecider, id, following, command);
      }),
    );
  }
}
