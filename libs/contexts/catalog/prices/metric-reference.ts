import { type AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { metricDecider, type Metric } from '../metrics/metric.js';

/**
 * Records, on the metric's stream, that a price will charge for the metric. Returns the metric. Throws NotFound if the metric does not
 * exist.
 */
export async function recordMetricReference(
  aggregates: AggregateStore,
  context: CommandContext,
  metricId: string,
  { priceId, priceRevision }: { priceId: string; priceRevision: number },
): Promise<Metric> {
  const command = { type: 'ReferenceMetric', metricId, priceId, priceRevision } as const;
  const following = followUpContext(context, `reference ${metricId} ${priceId} ${priceRevision}`);
  const id = aggregateId(context.workspaceId, metricId);
  return (await aggregates.execute(metricDecider, id, following, command)).state;
}
