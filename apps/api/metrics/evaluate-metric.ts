import { InvalidRequest, jsonNumber, type FieldError, type Instant } from '#libs/kernel/core';
import {
  measureSample,
  readSampleEvent,
  type Aggregation,
  type SampleEvent,
  type SampleMeasurement,
  type SqlMetrics,
} from '#libs/usage';
import type { EvaluatedMetricView, EvaluateMetricBody } from './evaluate-metric.dto.js';

/** The metric to try. A metric without an event name counts events of any name. */
export interface MetricToTry {
  readonly aggregation: Aggregation;
  readonly eventName?: string | undefined;
}

/**
 * Measures the sample events of a request with a metric. The caller must have checked the SQL of the metric before. Throws InvalidRequest
 * if events are invalid; the error names each invalid event and its first wrong field.
 */
export async function evaluateMetric(
  workspaceId: string,
  { aggregation, eventName }: MetricToTry,
  { events, startTime, endTime }: EvaluateMetricBody,
  now: Instant,
  sqlMetrics: SqlMetrics,
): Promise<SampleMeasurement> {
  const errors: FieldError[] = [];
  const counting = events.flatMap((raw, i): SampleEvent[] => {
    const read = readSampleEvent(raw, now);
    if ('code' in read) {
      const path = read.field === undefined ? `events[${i}]` : `events[${i}].${read.field}`;
      errors.push({ field: path, message: read.reason });
      return [];
    }
    const isOther = eventName !== undefined && read.eventName !== undefined && read.eventName !== eventName;
    return isOther ? [] : [read.event];
  });
  if (errors.length > 0)
    throw new InvalidRequest(
      'validation_failed',
      errors.map(({ field, message }) => `${field}: ${message}`).join('; '),
      errors,
    );
  const range = {
    ...(startTime === undefined ? {} : { start: startTime }),
    ...(endTime === undefined ? {} : { end: endTime }),
  };
  return aggregation.type === 'sql'
    ? sqlMetrics.measureSample(workspaceId, aggregation, counting, range, eventName)
    : measureSample(aggregation, counting, range);
}

/** Returns the measurement in the form of the API response. */
export function presentEvaluatedMetric({ groups, ...counts }: SampleMeasurement): EvaluatedMetricView {
  return {
    groups: groups.map(({ key, quantity }) => ({ group: key, quantity: jsonNumber(quantity) })),
    ...counts,
  };
}
