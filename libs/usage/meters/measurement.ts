import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Watermark } from '../log-head.js';
import type { MetricDefinition } from './definition.js';

/** A request to measure one customer's usage of one metric in [start, end), by the events' own time. */
export interface MeasureRequest {
  readonly definition: MetricDefinition;
  readonly customerId: string;
  readonly start: Instant;
  readonly end: Instant;
}

/** The quantity of one combination of groupBy values. */
export interface MeasuredGroup {
  /** The values by property, without properties that the events do not have. `{}` if the metric has no groups. */
  readonly key: Readonly<Record<string, string>>;
  readonly quantity: DecimalString;
}

/** A measurement with the data that it counted. */
export interface Measurement {
  /** The groups in the order of their keys. A metric without groups has exactly one, with quantity 0 if there are no events. */
  readonly groups: readonly MeasuredGroup[];
  /** The number of counted events. */
  readonly events: number;
  /** The number of events that matched the filter but had no usable value at the metric's property. */
  readonly skipped: number;
  /** The position in the log up to which events were counted. A measurement as of this position has the same result. */
  readonly watermark: Watermark;
}
