import type { DecimalString } from '#libs/kernel/core';
import type { MeterDefinition, MetricDefinition } from '#libs/usage';
import type { LimitAction, LimitWindowKind } from '../limits/events.js';

/** A limit that is in force, with the version of the metric that is counted. */
export interface LimitRule {
  readonly limitId: string;
  /** If null, the limit applies to each customer of the workspace. */
  readonly customerId: string | null;
  /** The maximum quantity of the metric within a window. */
  readonly limit: DecimalString;
  /** The kind of windows in which the usage is summed. */
  readonly per: LimitWindowKind;
  /** What happens when usage would exceed the limit. */
  readonly action: LimitAction;
  /** The fractions of the limit, above 0 and below 1, at which a warning webhook is sent. */
  readonly warnAt: readonly DecimalString[];
  readonly metric: MeterDefinition;
}

/**
 * Tells whether a metric can have limits. It can, if the quantity that an event adds follows from the event and the values that were
 * counted before.
 */
export function canHaveLimits(metric: MetricDefinition): metric is MeterDefinition {
  return metric.aggregation.type !== 'sql';
}
