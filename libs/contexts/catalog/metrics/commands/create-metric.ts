import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { SqlMetrics } from '#libs/usage';
import { readMetricDetails, type MetricInput } from '../metric-input.js';
import { metricDecider, type Metric } from '../metric.js';

export class CreateMetric extends Command<Metric> {
  constructor(
    readonly context: CommandContext,
    readonly input: MetricInput,
  ) {
    super();
  }
}

@CommandHandler(CreateMetric)
export class CreateMetricHandler implements ICommandHandler<CreateMetric> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly sqlMetrics: SqlMetrics,
  ) {}

  async execute({ context, input }: CreateMetric): Promise<Metric> {
    const metricId = idFor(context, 'met');
    const id = aggregateId(context.workspaceId, metricId);
    const repeated = await this.aggregates.findRepeated(metricDecider, id, context);
    if (repeated) return repeated;
    const details = readMetricDetails(input);
    if (details.aggregation.type === 'sql')
      await this.sqlMetrics.check(context.workspaceId, details.aggregation);
    const command = { type: 'CreateMetric', at: context.now, metricId, details } as const;
    return (await this.aggregates.execute(metricDecider, id, context, command)).state;
  }
}
