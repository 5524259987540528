import type { DecimalString, Instant } from '#libs/core';
import type { Period } from './periods.js';
import type { RatedTier } from './pricing/index.js';

/**
 * `usage`: a metric's quantity. `flat`: a recurring fee. `one_time`: charged once, at the start. `credit`: what is given back
 * of a fee. `minimum`: what is missing to a minimum. `manual`: charged for by hand.
 */
export const LINE_TYPES = ['usage', 'flat', 'one_time', 'credit', 'minimum', 'manual'] as const;
export type LineType = (typeof LINE_TYPES)[number];

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
  /** Before coupons and taxes; below zero for a `credit` alone. */
  readonly amount: DecimalString;
  /** What the line would have come to without its price's maximum. */
  readonly amountBeforeMaximum?: DecimalString;
  /** What coupons take off it. */
  readonly discount?: DecimalString;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  /** For a fee over part of its period: the full period, of which `amount` is the share from start to end. */
  readonly proratedFrom?: Period;
}
