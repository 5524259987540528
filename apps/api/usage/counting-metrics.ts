import { currentMetricVersion, type Metric } from '#libs/catalog';
import { measureSample, type StoredEvent } from '#libs/usage';

/** The ids of the metrics that look at an event, and of those among them that find nothing in it to count. */
export interface CountingMetrics {
  metricIds: string[];
  skippedBy: string[];
}

/** What becomes of an event, by the metrics that count events of its name. */
export function countingMetrics(
  { timestamp, properties }: StoredEvent,
  metrics: readonly Metric[],
): CountingMetrics {
  const skipping = metrics.filter((metric) => {
    const { aggregation } = currentMetricVersion(metric);
    // SQL alone knows what it makes of an event.
    return aggregation.type !== 'sql' && measureSample(aggregation, [{ timestamp, properties }]).skipped > 0;
  });
  const idsOf = (some: readonly Metric[]): string[] => some.map(({ metricId }) => metricId);
  return { metricIds: idsOf(metrics), skippedBy: idsOf(skipping) };
}
