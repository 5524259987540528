import type { DecimalString } from '#libs/kernel/core';
import type { MeterDefinition, MetricDefinition } from '#libs/usage';
import type { LimitAction, LimitWindowKind } from '../limits/events.js';

/** A limit that is in force, with the version of the metric that is counted. */
export interface LimitRule {
  readonly limitId: string;
  /** If null, the limit applies to each customer of the workspace. */
  readonly customerId: string | null;
  readonly limit: DecimalString;
  readonly per: LimitWindowKind;
  readonly action: LimitAction;
  readonly warnAt: readonly DecimalString[];
  readonly metric: MeterDefinition;
}

/**
 * Tells whether a metric can have limits. It can, if the quantity that an event adds follows from the event and the values that were
 * counted before.
 */
export function isCountable(metric: MetricDefinition): metric is MeterDefinition {
  return metric.aggregation.type !== 'sql';
}
