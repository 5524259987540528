import type { DecimalString } from '#libs/kernel/core';
import type { MeterDefinition, MetricDefinition } from '#libs/usage';
import type { LimitAction, LimitSpan } from '../limits/events.js';

/** A limit in force, with the metric version that it counts. */
export interface LimitRule {
  readonly limitId: string;
  /** If null, the rule applies to each customer. */
  readonly customerId: string | null;
  readonly limit: DecimalString;
  readonly per: LimitSpan;
  readonly action: LimitAction;
  readonly warnAt: readonly DecimalString[];
  readonly metric: MeterDefinition;
}

/** Whether a limit can be on a metric. It can if the quantity that an event adds follows from the event and the values before it. */
export function isCountable(metric: MetricDefinition): metric is MeterDefinition {
  return metric.aggregation.type !== 'sql';
}
