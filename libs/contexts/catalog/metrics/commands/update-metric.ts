import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Conflict } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { SqlMetrics, type Aggregation } from '#libs/usage';
import { metricProblem } from '../../prices/price-rules.js';
import type { Price } from '../../prices/price.js';
import { readMetricChanges, type MetricInput } from '../metric-input.js';
import { currentMetricVersion, isNarrowedBy, metricDecider, requireMetric, type Metric } from '../metric.js';
import { checkPricesOfMetric } from '../referencing-prices.js';

/**
 * Creates a new version of a metric with the given fields. Does nothing if the fields are the same as before. Throws Conflict
 * (`metric_in_use`) if a version of a price cannot charge for the metric after the change.
 */
export class UpdateMetric extends Command<Metric> {
  constructor(
    readonly context: CommandContext,
    readonly metricId: string,
    readonly input: Partial<MetricInput>,
  ) {
    super();
  }
}

@CommandHandler(UpdateMetric)
export class UpdateMetricHandler implements ICommandHandler<UpdateMetric> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly sqlMetrics: SqlMetrics,
  ) {}

  async execute({ context, metricId, input }: UpdateMetric): Promise<Metric> {
    const id = aggregateId(context.workspaceId, metricId);
    const metric = requireMetric(metricId, await this.aggregates.load(metricDecider, id));
    const changes = readMetricChanges(input, currentMetricVersion(metric).aggregation);
    if (changes.aggregation?.type === 'sql')
      await this.sqlMetrics.check(context.workspaceId, changes.aggregation);
    const command = { type: 'UpdateMetric', at: context.now, metricId, changes } as const;
    const { aggregation } = changes;
    if (!aggregation || !isNarrowedBy(currentMetricVersion(metric).aggregation, aggregation))
      return (await this.aggregates.execute(metricDecider, id, context, command)).state;
    const { references: checkedReferences } = metric;
    await checkPricesOfMetric(this.aggregates, context, metric, (price) =>
      refuseIfUnchargeable(price, metricId, aggregation),
    );
    const checked = { ...command, checkedReferences };
    return (await this.aggregates.execute(metricDecider, id, context, checked)).state;
  }
}

/** Throws if a version of the price charges for the metric and cannot charge for the new aggregation. */
function refuseIfUnchargeable(price: Price, metricId: string, aggregation: Aggregation): void {
  for (const { metricId: charged, config, name } of price.versions) {
    const problem = charged === metricId ? metricProblem(config, aggregation) : undefined;
    if (problem)
      throw new Conflict(
        'metric_in_use',
        `The price "${name}" (${price.priceId}) charges for this metric: \`${problem.field}\` ${problem.message}`,
      );
  }
}
