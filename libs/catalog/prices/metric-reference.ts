import { NotFound } from '#libs/core';
import { type AggregateStore, aggregateId, follow, type CommandContext } from '#libs/event-store';
import { notFoundIn } from '../details.js';
import { metricDecider } from '../metrics/metric.js';

/** Says on the metric's stream that a price will charge for it. NotFound, naming `metricId`, if it is not there. */
export async function referenceMetric(
  aggregates: AggregateStore,
  context: CommandContext,
  metricId: string,
  { priceId, priceRevision }: { priceId: string; priceRevision: number },
): Promise<void> {
  const command = { type: 'ReferenceMetric', metricId, priceId, priceRevision } as const;
  const following = follow(context, `reference ${metricId} ${priceId} ${priceRevision}`);
  try {
    await aggregates.execute(metricDecider, aggregateId(context.accountId, metricId), following, command);
  } catch (error) {
    throw error instanceof NotFound ? notFoundIn('metricId', 'metric', metricId) : error;
  }
}
