import type { DecimalString } from '#libs/kernel/core';
import type { MeterDefinition, MetricDefinition } from '#libs/usage';
import type { LimitAction, LimitSpan } from '../limits/events.js';

/** A limit in force, with the metric version that it counts. */
export interface LimitRule {
  readonly limitId: string;
  /** Null: each customer. */
  readonly customerId: string | null;
  readonly limit: DecimalString;
  readonly per: LimitSpan;
  readonly action: LimitAction;
  readonly warnAt: readonly DecimalString[];
  readonly metric: MeterDefinition;
}

/** The types of metrics whose quantity after an event follows from the quantity before it. */
const COUNTABLE_TYPES: readonly string[] = ['count', 'sum', 'max'];

/** Whether a limit can count a metric. */
export function isCountable(metric: MetricDefinition): metric is MeterDefinition {
  return COUNTABLE_TYPES.includes(metric.aggregation.type);
}
