import { currentMetricVersion, type Metric } from '#libs/contexts/catalog';
import { eventCounter, type MetricDefinition, type StoredEvent } from '#libs/usage';

/** The ids of the metrics with an event's name, and of those among them that find nothing in it to count, or whose filters leave it out. */
export interface CountingMetrics {
  metricIds: string[];
  skippedBy: string[];
  filteredBy: string[];
}

/** What becomes of an event, by the metrics that count events of its name. */
export function countingMetrics(
  workspaceId: string,
  { properties }: StoredEvent,
  metrics: readonly Metric[],
): CountingMetrics {
  const counting: CountingMetrics = { metricIds: [], skippedBy: [], filteredBy: [] };
  for (const metric of metrics) {
    const { metricId } = metric;
    const judgement = eventCounter(definitionOf(workspaceId, metric)).judge(properties);
    counting.metricIds.push(metricId);
    if (judgement === 'filtered') counting.filteredBy.push(metricId);
    else if (judgement !== 'counts') counting.skippedBy.push(metricId);
  }
  return counting;
}

/** What a metric measures by its version in force. */
export function definitionOf(workspaceId: string, metric: Metric): MetricDefinition {
  const { version, eventName, aggregation } = currentMetricVersion(metric);
  return { metricId: metric.metricId, version, workspaceId, eventName, aggregation };
}
