import { currentMetricVersion, type Metric } from './metric.js';

/** A metric as the API shows it: its version in force. */
export function presentMetric(metric: Metric) {
  const { name, description, eventName, aggregation, version, createdAt } = currentMetricVersion(metric);
  return {
    id: metric.metricId,
    name,
    description,
    eventName,
    aggregation,
    version,
    createdAt: metric.createdAt,
    updatedAt: createdAt,
  };
}
