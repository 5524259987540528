import type { DecimalString, Instant } from '#libs/kernel/core';
import type { RecurringCadence } from './cadence.js';
import type { Period } from './periods.js';
import type { RatedTier } from './pricing/index.js';

/**
 * `usage`: a metric's quantity. `flat`: a recurring fee. `one_time`: charged once, at the start. `credit` gives back a fee. `minimum` is
 * the amount missing to a minimum of a price or a plan. `manual`: charged for by hand. `late_usage`: the difference that events make which
 * came after their period had been billed. `progressive_credit`: what of the usage was invoiced before its period was over.
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

/** A quantity as it was billed, and as it is counted now. */
export interface LateQuantity {
  /** Values joined with `|`; absent where nothing is grouped. */
  readonly group?: string;
  /** The same for each dimension, in the metric's order. Absent if nothing is grouped, and on stored data without dimensions. */
  readonly dimensions?: readonly Dimension[];
  readonly billed: DecimalString;
  readonly counted: DecimalString;
}

/** The details of a line for late usage. Amounts are of the whole of its period, rounded. */
export interface LateDetails {
  /** The invoice that billed the period. */
  readonly invoiceId: string;
  /** The position of the usage log when the period was last billed. */
  readonly usageWatermark: string;
  /** The cost of the usage as it was billed, and as it is now. */
  readonly billed: DecimalString;
  readonly counted: DecimalString;
  /** Only the quantities that have changed. */
  readonly quantities: readonly LateQuantity[];
}

/**
 * The details of a line that leaves out charges for a period's usage that were invoiced before the period was over. Amounts are rounded.
 */
export interface InvoicedDetails {
  /** The invoices that charged for it, in their order. */
  readonly invoiceIds: readonly string[];
  /** The cost of the usage on the last of these invoices. */
  readonly billed: DecimalString;
  /** The cost of the usage on this invoice. */
  readonly counted: DecimalString;
  /** The rest of the earlier charges after credit notes and voids. The line never gives back more. */
  readonly atMost: DecimalString;
}

/** A plan's minimum for a billing period or an interval, from `start` to `end`. */
export interface CommittedPart extends Period {
  readonly planId: string;
  readonly planVersion: number;
  readonly planName: string;
  /** For a whole billing period, or for the interval. */
  readonly minimum: DecimalString;
  /** Absent: a billing period. */
  readonly interval?: RecurringCadence;
  /** The full period of the minimum, of which this may be a part. Absent: the billing period that ends with it. */
  readonly period?: Period;
}

/** The details of a line that charges the rest of a plan's minimum commitment. Amounts are rounded. */
export interface CommitmentDetails {
  readonly parts: CommittedPart[];
  /** The committed amount: for each part, its share of the minimum for the full period. */
  readonly due: DecimalString;
  /** The sum of the charges for that time. */
  readonly counted: DecimalString;
  /** For a minimum that late usage changes: the invoice that billed it, and the sum of the charges then. */
  readonly invoiceId?: string;
  readonly countedBefore?: DecimalString;
}

/** The details of a line that gives a fee back. Amounts are rounded, and without taxes that were added. */
export interface UnusedDetails {
  /** The invoice and its line that charged the fee. */
  readonly invoiceId: string;
  readonly lineId: string;
  /** The amount of the line that charged the fee, less its coupons. */
  readonly net: DecimalString;
  /** The net less all earlier give-backs. The line never gives back more. */
  readonly left: DecimalString;
  /** The discount of its coupons, for the fee's whole period. Absent: nothing. */
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
  /** Null for a charge by hand, and for a plan's minimum commitment. */
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
  /** The amount of a fee without its price's minimum. */
  readonly amountBeforeMinimum?: DecimalString;
  /** The amount of the line without its price's maximum. */
  readonly amountBeforeMaximum?: DecimalString;
  /** The discount of its coupons. */
  readonly discount?: DecimalString;
  /** The same by coupon, where several do. */
  readonly discountedBy?: readonly { readonly couponId: string; readonly amount: DecimalString }[];
  /** The ids of the taxes on this line, if the invoice's lines have different ones. Absent: all taxes of the invoice. */
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
  /** Present on a line that leaves out earlier charges. */
  readonly invoiced?: InvoicedDetails;
}
