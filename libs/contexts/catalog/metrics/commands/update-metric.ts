import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { Conflict } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { SqlMetrics, type Aggregation } from '#libs/usage';
import { metricProblem } from '../../prices/price-rules.js';
import type { Price } from '../../prices/price.js';
import { readMetricChanges, type MetricInput } from '../metric-input.js';
import { currentMetricVersion, isNarrowedBy, metricDecider, requireMetric, type Metric } from '../metric.js';
import { proposedMetricLowering, type HeldMetricChange } from '../metric-lowering.js';
import { checkPricesOfMetric, loadPricesOfMetric } from '../referencing-prices.js';

/**
 * Creates a new version of a metric with the given fields. Does nothing if the fields are the same as before. Throws Conflict
 * (`metric_in_use`) if a version of a price cannot charge for the metric after the change. Throws ActionHeld if the metric measures something
 * else after the change, a price charges for it, and a lower price needs approval.
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
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldMetricChange, Metric>({
      kind: 'update-metric',
      createCommand: (context, data) => new UpdateMetric(context, data.metricId, data.input),
      propose: (context, data) => this.propose(context, data),
      resourceOf: ({ metricId: id }) => ({ type: 'metric', id }),
    });
  }

  async execute({ context, metricId, input }: UpdateMetric): Promise<Metric> {
    const id = aggregateId(context.workspaceId, metricId);
    const metric = requireMetric(metricId, await this.aggregates.load(metricDecider, id));
    const changes = readMetricChanges(input, currentMetricVersion(metric).aggregation);
    if (changes.aggregation?.type === 'sql')
      await this.sqlMetrics.check(context.workspaceId, changes.aggregation);
    await this.gate.requireApprovalIfNeeded(context, 'price.lower', () =>
      this.propose(context, { metricId, input: { ...input } }),
    );
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

  /**
   * Describes the change for its approval request. Undefined if only names change, if no price charges for the metric, or if the change has
   * run already.
   */
  private async propose(
    context: CommandContext,
    { metricId, input }: HeldMetricChange,
  ): Promise<ProposedAction | undefined> {
    const id = aggregateId(context.workspaceId, metricId);
    const metric = requireMetric(metricId, await this.aggregates.load(metricDecider, id));
    const { aggregation: present } = currentMetricVersion(metric);
    const changes = readMetricChanges(input, present);
    const prices = await loadPricesOfMetric(this.aggregates, context.workspaceId, metric);
    const { aggregation } = changes;
    if (aggregation && isNarrowedBy(present, aggregation))
      for (const price of prices) refuseIfUnchargeable(price, metricId, aggregation);
    const { references: checkedReferences } = metric;
    const command = { type: 'UpdateMetric', at: context.now, metricId, changes, checkedReferences } as const;
    const preview = await this.aggregates.preview(metricDecider, id, context, command);
    return preview && proposedMetricLowering(preview.before!, preview.after, prices, { metricId, input });
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
