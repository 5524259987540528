import type { DecimalString, Instant } from '#libs/kernel/core';
import type { Watermark } from '../log-head.js';
import type { MetricDefinition } from './definition.js';

/** One customer's use of one metric in [start, end), by the events' own time. */
export interface MeasureRequest {
  readonly definition: MetricDefinition;
  readonly customerId: string;
  readonly start: Instant;
  readonly end: Instant;
}

/** The quantity of one combination of groupBy values. */
export interface MeasuredGroup {
  /** Values by property; one that the events do not have is left out. `{}` where nothing is grouped. */
  readonly key: Readonly<Record<string, string>>;
  readonly quantity: DecimalString;
}

/** A measurement with the data that it counted. */
export interface Measurement {
  /** In order of their keys. Exactly one, of quantity 0 if there was nothing, where nothing is grouped. */
  readonly groups: readonly MeasuredGroup[];
  /** Events that counted. */
  readonly events: number;
  /** Events that matched but had no usable value at the metric's property. */
  readonly skipped: number;
  /** The log up to here was counted: measuring again as of it gives the same. */
  readonly watermark: Watermark;
}
