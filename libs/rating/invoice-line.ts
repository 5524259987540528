import type { DecimalString, Instant } from '#libs/core';
import type { Period } from './periods.js';
import type { RatedTier } from './pricing/index.js';

/**
 * `usage`: a metric's quantity. `flat`: a recurring fee. `one_time`: charged once, at the start. `credit`: what is given back
 * of a fee. `minimum`: what is missing to a minimum. `manual`: charged for by hand. `late_usage`: the difference that events make which
 * came after their period had been billed.
 */
export const LINE_TYPES = ['usage', 'flat', 'one_time', 'credit', 'minimum', 'manual', 'late_usage'] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** A quantity that was billed, and what it is by now. */
export interface LateQuantity {
  /** As it is printed; absent where nothing is grouped. */
  readonly group?: string;
  readonly billed: DecimalString;
  readonly counted: DecimalString;
}

/** What stands behind a line of late usage. Amounts are of the whole of its period, rounded. */
export interface LateDetails {
  /** The invoice that billed the period. */
  readonly invoiceId: string;
  /** How far the usage log had been read when the period was last billed. */
  readonly usageWatermark: string;
  /** What the usage came to then, and what it comes to now. */
  readonly billed: DecimalString;
  readonly counted: DecimalString;
  /** Only what has changed. */
  readonly quantities: readonly LateQuantity[];
}

/** A line as it is printed. `amount` is rounded to the currency's minor unit; other decimals are exact. */
export interface InvoiceLine {
  readonly id: string;
  readonly type: LineType;
  readonly description: string;
  /** Null for what is charged for by hand. */
  readonly priceId: string | null;
  readonly priceVersion: number | null;
  readonly metricId?: string;
  readonly metricVersion?: number;
  readonly group?: string;
  readonly usageWatermark?: string;
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
  /** Before coupons and taxes; below zero for a `credit`, and for late usage that makes a period cheaper. */
  readonly amount: DecimalString;
  /** What the line would have come to without its price's maximum. */
  readonly amountBeforeMaximum?: DecimalString;
  /** What coupons take off it. */
  readonly discount?: DecimalString;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  /** For a fee over part of its period: the full period, of which `amount` is the share from start to end. */
  readonly proratedFrom?: Period;
  /** On a line of late usage. */
  readonly late?: LateDetails;
}
