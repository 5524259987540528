import type { Aggregation, MeterAggregation } from '#libs/usage';
import { currentMetricVersion, type Metric } from './metric.js';

/** Converts the current version of a metric to its form in the API. In the API, the SQL is a separate field beside the aggregation. */
export function presentMetric(metric: Metric) {
  const {
    name,
    nameTranslations = {},
    description,
    eventName,
    aggregation,
    version,
    createdAt,
  } = currentMetricVersion(metric);
  return {
    id: metric.metricId,
    name,
    nameTranslations,
    description,
    eventName,
    ...presentAggregation(aggregation),
    version,
    createdAt: metric.createdAt,
    updatedAt: createdAt,
  };
}

/** The aggregation of a metric in the API, without its SQL. */
type PresentedAggregation = Omit<MeterAggregation, 'type'> & { readonly type: Aggregation['type'] };

function presentAggregation(aggregation: Aggregation): { aggregation: PresentedAggregation; sql?: string } {
  if (aggregation.type !== 'sql') return { aggregation };
  const { sql, ...rest } = aggregation;
  return { aggregation: rest, sql };
}
