import { currentMetricVersion, type Metric } from '#libs/contexts/catalog';
import { countingRuleOf, type MetricDefinition, type StoredEvent } from '#libs/usage';

/**
 * What the metrics for an event's name do with the event. The result has the ids of all these metrics, of those that skip the event, and of
 * those whose filters exclude it.
 */
export interface CountingResult {
  metricIds: string[];
  skippedBy: string[];
  filteredBy: string[];
}

/** Finds what each metric does with an event. `metrics` must be all metrics for the name of the event. */
export function explainCounting(
  workspaceId: string,
  { properties }: StoredEvent,
  metrics: readonly Metric[],
): CountingResult {
  const counting: CountingResult = { metricIds: [], skippedBy: [], filteredBy: [] };
  for (const metric of metrics) {
    const { metricId } = metric;
    const judgement = countingRuleOf(presentDefinitionOf(workspaceId, metric)).judge(properties);
    counting.metricIds.push(metricId);
    if (judgement === 'filtered') counting.filteredBy.push(metricId);
    else if (judgement !== 'counts') counting.skippedBy.push(metricId);
  }
  return counting;
}

/** The definition of a metric's measurement in its present version. */
export function presentDefinitionOf(workspaceId: string, metric: Metric): MetricDefinition {
  const { version, eventName, aggregation } = currentMetricVersion(metric);
  return { metricId: metric.metricId, version, workspaceId, eventName, aggregation };
}
