import type { DecimalString, Instant } from '#libs/kernel/core';
import type { RecurringCadence } from './cadence.js';
import type { Period } from './periods.js';
import type { RatedTier } from './pricing/index.js';

/**
 * `usage`: a metric's quantity. `flat`: a recurring fee. `one_time`: charged once, at the start. `credit`: what is given back
 * of a fee. `minimum`: what is missing to a minimum, of a price or a plan. `manual`: charged for by hand. `late_usage`: the difference
 * that events make which came after their period had been billed. `progressive_credit`: what of the usage was invoiced before its
 * period was over.
 */
export const LINE_TYPES = [
  'usage',
  'flat',
  'one_time',
  'credit',
  'minimum',
  'manual',
  'late_usage',
  'progressive_credit',
] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** The value that a group of usage has at a property that its metric groups by; null where its events have none. */
export interface Dimension {
  readonly property: string;
  readonly value: string | null;
}

/** A quantity that was billed, and what it is by now. */
export interface LateQuantity {
  /** Values joined with `|`; absent where nothing is grouped. */
  readonly group?: string;
  /** The same by property, in the metric's order; absent where nothing is grouped, and on what was stored without. */
  readonly dimensions?: readonly Dimension[];
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

/** What stands behind a line that leaves out what was invoiced of a period's usage before it was over. Amounts are rounded. */
export interface InvoicedDetails {
  /** The invoices that charged for it, in their order. */
  readonly invoiceIds: readonly string[];
  /** What the usage came to on the last of them. */
  readonly billed: DecimalString;
  /** What it comes to on this one. */
  readonly counted: DecimalString;
  /** What is left of what they charged for it, without what credit notes and voids took off: it is never more that is given back. */
  readonly atMost: DecimalString;
}

/** What a plan commits to for a billing period or an interval, from `start` to `end`. */
export interface CommittedPart extends Period {
  readonly planId: string;
  readonly planVersion: number;
  readonly planName: string;
  /** For a whole billing period, or for the interval. */
  readonly minimum: DecimalString;
  /** Absent: a billing period. */
  readonly interval?: RecurringCadence;
  /** What the minimum is for, of which this is all or a part; absent: the billing period that ends with it. */
  readonly period?: Period;
}

/** What stands behind a line that makes up for a plan's minimum commitment. Amounts are rounded. */
export interface CommitmentDetails {
  readonly parts: CommittedPart[];
  /** What was committed to: of each part's minimum its share of the full period that it is for. */
  readonly due: DecimalString;
  /** What the charges of that time come to. */
  readonly counted: DecimalString;
  /** Where late usage changes what was missing: the invoice that billed that, and what the charges came to by then. */
  readonly invoiceId?: string;
  readonly countedBefore?: DecimalString;
}

/** What stands behind a line that gives a fee back. Amounts are rounded, and without taxes that were added. */
export interface UnusedDetails {
  /** The invoice and its line that charged the fee. */
  readonly invoiceId: string;
  readonly lineId: string;
  /** What that line charged, less its coupons. */
  readonly net: DecimalString;
  /** The same less what had been given back of it by then: it is never more that is given back. */
  readonly left: DecimalString;
  /** What coupons took off it, for the fee's whole period. Absent: nothing. */
  readonly discount?: DecimalString;
}

/** A part of a line of an earlier invoice that is given back. */
export interface GivenBackLine {
  readonly invoiceId: string;
  readonly lineId: string;
  readonly amount: DecimalString;
}

/** A line as it is printed. `amount` is rounded to the currency's minor unit; other decimals are exact. */
export interface InvoiceLine {
  readonly id: string;
  /** Whose it is, on an invoice of several subscriptions. */
  readonly subscriptionId?: string;
  readonly type: LineType;
  readonly description: string;
  /** Null for what is charged for by hand, and for a plan's minimum commitment. */
  readonly priceId: string | null;
  readonly priceVersion: number | null;
  readonly metricId?: string;
  readonly metricVersion?: number;
  /** Values joined with `|`; absent where nothing is grouped. */
  readonly group?: string;
  /** The same by property, in the metric's order; absent where nothing is grouped, and on lines that were stored without. */
  readonly dimensions?: readonly Dimension[];
  readonly usageWatermark?: string;
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
  /**
   * Before coupons and taxes. Negative for a `credit` and a `progressive_credit`, for late usage that makes a period cheaper, and where it
   * counts towards a commitment.
   */
  readonly amount: DecimalString;
  /** What a fee would have come to without its price's minimum. */
  readonly amountBeforeMinimum?: DecimalString;
  /** What the line would have come to without its price's maximum. */
  readonly amountBeforeMaximum?: DecimalString;
  /** What coupons take off it. */
  readonly discount?: DecimalString;
  /** The same by coupon, where several do. */
  readonly discountedBy?: readonly { readonly couponId: string; readonly amount: DecimalString }[];
  /** Those of the invoice's taxes that are on it, where its lines have different ones; absent: all. */
  readonly taxRateIds?: string[];
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  /** For a fee over part of its period: the full period, of which `amount` is the share from start to end. */
  readonly proratedFrom?: Period;
  /** On a line that gives a fee back. */
  readonly unused?: UnusedDetails;
  /** On a line of late usage. */
  readonly late?: LateDetails;
  /** On a line of a plan's minimum commitment. */
  readonly commitment?: CommitmentDetails;
  /**
   * The parts of earlier invoices' lines that the line gives back, in the order in which it uses them up. Amounts are positive, after
   * coupons and before added taxes. Absent: nothing, or it was not recorded.
   */
  readonly givesBack?: readonly GivenBackLine[];
  /** On a line that leaves out what was invoiced before. */
  readonly invoiced?: InvoicedDetails;
}
