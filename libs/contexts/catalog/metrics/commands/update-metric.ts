import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { SqlMetrics } from '#libs/usage';
import { readMetricChanges, type MetricInput } from '../metric-input.js';
import { currentMetricVersion, metricDecider, requireMetric, type Metric } from '../metric.js';

/** Creates a new version of a metric with the given fields. Does nothing if the fields are the same as before. */
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
    return (await this.aggregates.execute(metricDecider, id, context, command)).state;
  }
}
