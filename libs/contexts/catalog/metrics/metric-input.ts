import { storedTranslations, type NameTranslations } from '#libs/kernel/core';
import type { Aggregation } from '#libs/usage';
import { invalidFieldsError } from '../details.js';
import { isSqlAggregation, readMetricAggregation } from './aggregation.js';
import type { MetricDetails } from './events.js';

/** The fields of a metric in a request. The texts in this request are already checked, but the nested fields are not. */
export interface MetricInput {
  name: string;
  nameTranslations?: NameTranslations | null;
  description?: string | null;
  /** The name of the events that the metric counts. Default: the metric's name. */
  eventName?: string;
  aggregation: unknown;
  /** The SQL of the metric, for an aggregation of type `sql`. */
  sql?: string | null;
}

/** Returns the details of a new metric. Throws InvalidRequest that names the wrong fields. */
export function readMetricDetails(input: MetricInput): MetricDetails {
  const aggregation = readMetricAggregation(input.aggregation, input.sql);
  return {
    name: input.name,
    ...storedTranslations(input.nameTranslations),
    description: input.description ?? null,
    eventName: input.eventName ?? input.name,
    aggregation,
  };
}

/**
 * Returns the changes to a metric whose present aggregation is `current`. A given `aggregation` replaces the whole aggregation. If both
 * aggregations have the type `sql` and no `sql` is given, the present SQL stays. A new name of the metric does not change its event name.
 */
export function readMetricChanges(input: Partial<MetricInput>, current: Aggregation): Partial<MetricDetails> {
  const { name, description, eventName } = input;
  return {
    name,
    nameTranslations: input.nameTranslations === null ? {} : input.nameTranslations,
    description,
    eventName,
    aggregation: changedAggregation(input, current),
  };
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
    throw invalidFieldsError([{ field: 'sql', message }]);
  }
  return { ...current, sql };
}
