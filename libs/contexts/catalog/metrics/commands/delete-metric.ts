import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Conflict } from '#libs/kernel/core';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { findPriceOfMetric, currentPriceVersion, priceDecider, type PriceState } from '../../prices/price.js';
import { metricDecider, requireMetric } from '../metric.js';

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
    const priceOf = (priceId: string) =>
      this.aggregates.load(priceDecider, aggregateId(workspaceId, priceId));
    await Promise.all(
      Object.keys(references).map(async (priceId) => refuseIfUsed(metricId, await priceOf(priceId))),
    );
    await Promise.all(
      Object.entries(references).map(async ([priceId, revision]) =>
        refuseIfUsed(metricId, await this.stopChange(context, priceId, revision)),
      ),
    );
    const command = { type: 'DeleteMetric', metricId, checkedReferences: references } as const;
    await this.aggregates.execute(metricDecider, id, context, command);
  }

  private async stopChange(context: CommandContext, priceId: string, revision: number): Promise<PriceState> {
    const command = { type: 'StopPriceChange', priceId, revision } as const;
    const following = followUpContext(context, `overtake ${priceId} ${revision}`);
    const id = aggregateId(context.workspaceId, priceId);
    return (await this.aggregates.execute(priceDecider, id, following, command)).state;
  }
}

function refuseIfUsed(metricId: string, state: PriceState | undefined): void {
  const price = findPriceOfMetric(state, metricId);
  if (!price) return;
  const { name } = currentPriceVersion(price);
  throw new Conflict(
    'metric_in_use',
    `The price "${name}" (${price.priceId}) charges for this metric; delete it first`,
  );
}
