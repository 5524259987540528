import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, aggregateId, type CommandContext } from '#libs/event-store';
import { metricChanges, type MetricInput } from '../metric-input.js';
import { metricDecider, type Metric } from '../metric.js';

/** Makes a new version of a metric with the fields that are given; nothing if they make no difference. */
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
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, metricId, input }: UpdateMetric): Promise<Metric> {
    const command = {
      type: 'UpdateMetric',
      at: context.now,
      metricId,
      changes: metricChanges(input),
    } as const;
    const id = aggregateId(context.accountId, metricId);
    return (await this.aggregates.execute(metricDecider, id, context, command)).state;
  }
}
