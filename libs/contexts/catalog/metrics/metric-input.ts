import type { Aggregation } from '#libs/usage';
import { invalidFields } from '../details.js';
import { isSqlAggregation, readMetricAggregation } from './aggregation.js';
import type { MetricDetails } from './events.js';

/** A metric as a request describes it: texts have been checked, what is deeper has not. */
export interface MetricInput {
  name: string;
  description?: string | null;
  /** Default: the metric's name. */
  eventName?: string;
  aggregation: unknown;
  /** For an aggregation of type sql. */
  sql?: string | null;
}

/** The details of a new metric. InvalidRequest names what is wrong. */
export function newMetric(input: MetricInput): MetricDetails {
  const aggregation = readMetricAggregation(input.aggregation, input.sql);
  return {
    name: input.name,
    description: input.description ?? null,
    eventName: input.eventName ?? input.name,
    aggregation,
  };
}

/**
 * The changes to a metric that aggregates by `current`; `aggregation` replaces the whole one, but for SQL that stays as it is if
 * it is not given. A new name leaves the event name as it is.
 */
export function metricChanges(input: Partial<MetricInput>, current: Aggregation): Partial<MetricDetails> {
  const { name, description, eventName } = input;
  return { name, description, eventName, aggregation: changedAggregation(input, current) };
}

function changedAggregation(
  { aggregation, sql }: Partial<MetricInput>,
  current: Aggregation,
): Aggregation | undefined {
  const currentSql = current.type === 'sql' ? current.sql : undefined;
  if (aggregation !== undefined) {
    const keepsSql = sql === undefined && isSqlAggregation(aggregation);
    return readMetricAggregation(aggregation, keepsSql ? currentSql : sql);
  }
  if (sql === undefined || (sql === null && currentSql === undefined)) return undefined;
  if (sql === null || current.type !== 'sql') {
    const message =
      sql === null ? 'is required for an aggregation of type sql' : 'is only for an aggregation of type sql';
    throw invalidFields([{ field: 'sql', message }]);
  }
  return { ...current, sql };
}
