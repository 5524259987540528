import type { DecimalString, Instant, NameTranslations } from '#libs/kernel/core';
import type { RecurringCadence } from './cadence.js';
import type { Period } from './periods.js';
import type { RatedTier } from './pricing/index.js';

/**
 * `usage` is a metric's quantity. `flat` is a recurring fee. `one_time` is a fee that is charged once, at the start of the first charged
 * period or when its price is added. `credit` is a fee that is given back. `minimum` is the amount that is missing to reach the minimum of
 * a price or a plan. `manual` is an item of a manual invoice. `late_usage` is the change of a period's cost by events that arrived after
 * the period was billed. `progressive_credit` deducts usage that was invoiced before the end of its period. `credit_purchase` is for
 * prepaid credits that the customer buys. `overage` is for usage that exceeded the customer's credits. The quantity of an `overage` line is
 * in credits.
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
  'credit_purchase',
  'overage',
] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** The value of a usage group for one property of its metric. Null if the events of the group do not have the property. */
export interface Dimension {
  readonly property: string;
  readonly value: string | null;
}

/** The two quantities of one usage group: the quantity when it was billed, and the present quantity with late usage. */
export interface BilledAndPresentQuantity {
  /** The values of the usage group, joined with `|`. Absent if the metric has no groups. */
  readonly group?: string;
  /**
   * The values of the usage group by dimension, in the order of the metric's properties. Absent if the metric has no groups, and in old
   * stored data.
   */
  readonly dimensions?: readonly Dimension[];
  /** The quantity when it was billed. */
  readonly billed: DecimalString;
  /** The present quantity, including late usage. */
  readonly counted: DecimalString;
}

/** The details of an invoice line for late usage. The amounts are for the whole period of the line, and are rounded. */
export interface LateUsageDetails {
  /** The invoice that billed the period. */
  readonly invoiceId: string;
  /** The position in the usage log up to which the period was last billed. */
  readonly usageWatermark: string;
  /** The cost of the usage when it was billed. */
  readonly billed: DecimalString;
  /** The present cost of the usage. */
  readonly counted: DecimalString;
  /** The quantities of the usage groups whose quantity has changed. */
  readonly quantities: readonly BilledAndPresentQuantity[];
}

/** The details of a line that deducts usage invoiced before the end of its period. Amounts are rounded. */
export interface InvoicedUsageDeduction {
  /** The invoices that charged the usage earlier, from the first to the last. */
  readonly invoiceIds: readonly string[];
  /** The cost of the usage, in the invoice's currency, as the last of these invoices computed it. */
  readonly billed: DecimalString;
  /** The cost of the usage, in the invoice's currency, as this invoice computes it. */
  readonly counted: DecimalString;
  /** The remaining amount of the earlier charges after credit notes and voids. The line never gives back more than the remaining amount. */
  readonly atMost: DecimalString;
}

/** A plan's minimum commitment for a part of a billing period or interval, from `start` to `end`. */
export interface CommittedPart extends Period {
  readonly planId: string;
  readonly planVersion: number;
  readonly planName: string;
  /** The name of the plan in other languages. Absent if there are none. */
  readonly planNameTranslations?: NameTranslations;
  /** The minimum amount for a whole billing period, or for the whole interval. */
  readonly minimum: DecimalString;
  /** If there is no interval, the minimum is for a billing period. */
  readonly interval?: RecurringCadence;
  /**
   * The full period to which the minimum applies. This part can be shorter. If absent, the full period is the billing period in which the
   * commitment ends.
   */
  readonly period?: Period;
}

/** The details of a line that charges the amount missing to reach a plan's minimum commitment. Amounts are rounded. */
export interface CommitmentDetails {
  readonly parts: CommittedPart[];
  /** The committed amount. The committed amount is the sum of the prorated minimums of the parts. */
  readonly due: DecimalString;
  /** The sum of the charges that count towards the commitment. */
  readonly counted: DecimalString;
  /** The invoice that billed the commitment. The invoice id is set only if late usage changes a commitment that was already billed. */
  readonly invoiceId?: string;
  /** The sum of the charges when the commitment was billed. `countedBefore` is set if and only if `invoiceId` is set. */
  readonly countedBefore?: DecimalString;
}

/** The details of a line that gives back a fee. Amounts are rounded, and do not include added taxes. */
export interface UnusedFeeDetails {
  /** The invoice that charged the fee. */
  readonly invoiceId: string;
  /** The line that charged the fee. */
  readonly lineId: string;
  /** The amount of the line that charged the fee, less its coupons. */
  readonly net: DecimalString;
  /** `net` less all earlier give-backs. The line never gives back more than the remaining amount. */
  readonly left: DecimalString;
  /** The discount that coupons gave on the charged line, for the fee's whole period. Absent if there is no discount. */
  readonly discount?: DecimalString;
}

/** An amount that is given back from a line of an earlier invoice. */
export interface GivenBackLine {
  readonly invoiceId: string;
  readonly lineId: string;
  /** The amount given back, as a positive number, after coupons and before added taxes. */
  readonly amount: DecimalString;
}

/** An invoice line, as it is printed. Amounts are rounded to the currency's minor unit. `quantity`, `unitPrice` and `tiers` are exact. */
export interface InvoiceLine {
  readonly id: string;
  /** The id of the line's subscription, if the invoice has several subscriptions. */
  readonly subscriptionId?: string;
  readonly type: LineType;
  /** The name of the charge, and a note in parentheses if the charge has one. */
  readonly description: string;
  /** The name of the charge in other languages, without the note. Absent if there are none. */
  readonly nameTranslations?: NameTranslations;
  /** Null if the line has no price in the catalog: a manual item, a minimum commitment, an overage or a credit purchase. */
  readonly priceId: string | null;
  readonly priceVersion: number | null;
  /** The metric whose usage the line charges, or whose usage exceeded the credits. Absent on other lines. */
  readonly metricId?: string;
  readonly metricVersion?: number;
  /** The credit type of a credit purchase or an overage. */
  readonly creditType?: string;
  /** The values of the usage group, joined with `|`. Absent if the metric has no groups. */
  readonly group?: string;
  /**
   * The values of the usage group by property, in the order of the metric's properties. Absent if the metric has no groups, and on old
   * stored lines.
   */
  readonly dimensions?: readonly Dimension[];
  /** The position in the usage log up to which the usage of the line was measured. Set only on lines for usage. */
  readonly usageWatermark?: string;
  readonly quantity: DecimalString;
  readonly unitPrice?: DecimalString;
  readonly tiers?: RatedTier[];
  /**
   * The amount before coupons and taxes. The amount is negative for a `credit` and a `progressive_credit`. The amount can also be negative
   * for a manual item, and for late usage that makes a period or a commitment cheaper.
   */
  readonly amount: DecimalString;
  /** The amount of a fee before its price's minimum. */
  readonly amountBeforeMinimum?: DecimalString;
  /** The amount of the line before its price's maximum. */
  readonly amountBeforeMaximum?: DecimalString;
  /** The discount of the line's coupons. */
  readonly discount?: DecimalString;
  /** The discount of each coupon, if several coupons reduce the line. */
  readonly discountedBy?: readonly { readonly couponId: string; readonly amount: DecimalString }[];
  /**
   * The ids of the taxes on this line. The ids of taxes are set only if the lines of the invoice have different taxes. If absent, the line
   * has all taxes of the invoice.
   */
  readonly taxRateIds?: string[];
  /** The first instant of the time for which the line charges or gives back. */
  readonly periodStart: Instant;
  /** The end of that time. The instant itself is not included. */
  readonly periodEnd: Instant;
  /**
   * The full period of the line's fee or minimum. Set only if the line charges or gives back a part of it. `amount` is the share from
   * `periodStart` to `periodEnd`.
   */
  readonly proratedFrom?: Period;
  /** Set only on a line that gives back a fee. */
  readonly unused?: UnusedFeeDetails;
  /** Set only on a line of late usage. */
  readonly late?: LateUsageDetails;
  /** Set only on a line of a plan's minimum commitment. */
  readonly commitment?: CommitmentDetails;
  /**
   * The amounts of earlier invoices' lines that this line gives back, in the order in which they are used up. The given-back amounts are
   * positive, after coupons and before added taxes. Absent if the line gives nothing back, or if the earlier lines were not recorded.
   */
  readonly givesBack?: readonly GivenBackLine[];
  /** Set only on a line that deducts charges of earlier invoices. */
  readonly invoiced?: InvoicedUsageDeduction;
}
