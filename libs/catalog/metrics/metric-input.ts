import type { FieldError } from '#libs/core';
import { invalidFields } from '../details.js';
import { readAggregation } from './aggregation.js';
import type { MetricDetails } from './events.js';

/** A metric as a request describes it: texts have been checked, what is deeper has not. */
export interface MetricInput {
  name: string;
  description?: string | null;
  /** Default: the metric's name. */
  eventName?: string;
  aggregation: unknown;
  sql?: string | null;
}

/** The details of a new metric. InvalidRequest names what is wrong. */
export function newMetric(input: MetricInput): MetricDetails {
  const aggregation = readAggregation(input.aggregation);
  refuseSql(input.sql);
  return {
    name: input.name,
    description: input.description ?? null,
    eventName: input.eventName ?? input.name,
    aggregation,
  };
}

/** The changes to a metric; `aggregation` replaces the whole one. A new name leaves the event name as it is. */
export function metricChanges(input: Partial<MetricInput>): Partial<MetricDetails> {
  const aggregation = input.aggregation === undefined ? undefined : readAggregation(input.aggregation);
  refuseSql(input.sql);
  const { name, description, eventName } = input;
  return { name, description, eventName, aggregation };
}

function refuseSql(sql: string | null | undefined): void {
  const error: FieldError = { field: 'sql', message: 'is only for an aggregation of type sql' };
  if (sql !== undefined && sql !== null) throw invalidFields([error]);
}
