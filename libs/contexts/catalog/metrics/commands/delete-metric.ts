import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Conflict } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { currentPriceVersion, type Price } from '../../prices/price.js';
import { metricDecider, requireMetric } from '../metric.js';
import { checkPricesOfMetric } from '../referencing-prices.js';

/**
 * Deletes a metric. Throws Conflict (`metric_in_use`) if a version of a price charges for the metric, also an earlier version. Deleted
 * prices, features of plans, credit rates and usage limits do not prevent the deletion. A subscription that still has a price with the
 * deleted metric is charged by this metric as before.
 */
export class DeleteMetric extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly metricId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteMetric)
export class DeleteMetricHandler implements ICommandHandler<DeleteMetric> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, metricId }: DeleteMetric): Promise<void> {
    const { workspaceId } = context;
    const id = aggregateId(workspaceId, metricId);
    const { references } = requireMetric(metricId, await this.aggregates.load(metricDecider, id));
    await checkPricesOfMetric(this.aggregates, context, { metricId, references }, refuseDeletion);
    const command = { type: 'DeleteMetric', metricId, checkedReferences: references } as const;
    await this.aggregates.execute(metricDecider, id, context, command);
  }
}

function refuseDeletion(price: Price): never {
  const { name } = currentPriceVersion(price);
  throw new Conflict(
    'metric_in_use',
    `The price "${name}" (${price.priceId}) charges for this metric; delete it first`,
  );
}
