import { currentMetricVersion, type Metric } from '#libs/contexts/catalog';
import { countingRuleOf, type MetricDefinition, type StoredEvent } from '#libs/usage';

/** The effect of an event on the metrics that count events of its name. */
export interface CountingResult {
  /** The ids of all metrics for the event name, including the metrics that do not count the event. */
  metricIds: string[];
  /** The ids of the metrics whose property has no usable value in the event. */
  skippedBy: string[];
  /** The ids of the metrics whose filters exclude the event. */
  filteredBy: string[];
}

/** Finds which metrics count, skip or filter out an event. `metrics` must contain all metrics that count events of this name. */
export function explainCounting(
  workspaceId: string,
  { properties }: StoredEvent,
  metrics: readonly Metric[],
): CountingResult {
  const counting: CountingResult = { metricIds: [], skippedBy: [], filteredBy: [] };
  for (const metric of metrics) {
    const { metricId } = metric;
    const judgement = countingRuleOf(currentDefinitionOf(workspaceId, metric)).resultFor(properties);
    counting.metricIds.push(metricId);
    if (judgement === 'filtered') counting.filteredBy.push(metricId);
    else if (judgement !== 'counts') counting.skippedBy.push(metricId);
  }
  return counting;
}

/** Returns the definition by which the present version of a metric is measured. */
export function currentDefinitionOf(workspaceId: string, metric: Metric): MetricDefinition {
  const { version, eventName, aggregation } = currentMetricVersion(metric);
  return { metricId: metric.metricId, version, workspaceId, eventName, aggregation };
}
