import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Watermark } from '../log-head.js';
import type { MetricDefinition } from './definition.js';

/** A request to measure one customer's usage of one metric in [start, end), by the timestamps of the events. */
export interface MeasureRequest {
  readonly definition: MetricDefinition;
  readonly customerId: string;
  readonly start: Instant;
  readonly end: Instant;
}

/** The quantity of one usage group: one combination of values of the `groupBy` properties. */
export interface MeasuredGroup {
  /** The values of the group by property. Properties that the events do not have are omitted. `{}` if the metric has no groups. */
  readonly key: Readonly<Record<string, string>>;
  readonly quantity: DecimalString;
}

/** The result of a measurement, with the position up to which events were counted. */
export interface Measurement {
  /**
   * The usage groups, in the order of their keys. A metric without groups has exactly one usage group, with quantity 0 if there are no
   * events.
   */
  readonly groups: readonly MeasuredGroup[];
  /** The number of counted events. For an SQL metric, all events that match the filter. */
  readonly events: number;
  /** The number of events that matched the filter but had no usable value at the metric's property. Zero for an SQL metric. */
  readonly skipped: number;
  /** The position in the usage log up to which events were counted. A repeated measurement up to this position has the same result. */
  readonly watermark: Watermark;
}
