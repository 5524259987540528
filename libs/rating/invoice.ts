import { Decimal, earlierOf, moneyString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { linesOfCharges, type MeasuredCharge } from './charge-lines.js';
import type { Charge } from './charges.js';
import { lateUsageLines, type LateUsage } from './late-usage-lines.js';
import {
  commitmentLines,
  computeCommitment,
  recountCommitments,
  recountedCommitmentLines,
  type ComputedCommitment,
  type CommitmentWithLateUsage,
  type MeasuredCommitment,
  type RecountedCommitment,
} from './plan-commitments.js';
import { linesOfItems, type InvoiceItem } from './items.js';
import { linesWithDiscountableAmounts, progressiveCreditLines, withUsageGivenBack } from './progressive.js';
import { deductCoupons, type AppliedCoupon, type Discount, type UsableCoupon } from './deduct-coupons.js';
import type { InvoiceLine } from './invoice-line.js';
import { PRORATION_BY_TIME, prorate, type ProrationBasis } from './proration.js';
import { taxesOnLines } from './tax-lines.js';
import type { AppliedTax, TaxRate } from './taxes.js';

/** A coupon that can be used on an invoice. */
export interface InvoiceCoupon {
  readonly couponId: string;
  readonly discount: Discount;
  /** The discount applies only to lines of these prices. If absent, the coupon applies to the whole invoice. */
  readonly priceIds?: readonly string[];
  /**
   * The discount applies only to lines of these subscriptions, if the invoice has several. If absent, the coupon applies to all
   * subscriptions.
   */
  readonly subscriptionIds?: readonly string[];
  /** The discount applies only to the part of a line whose time is before this end. If absent, it applies to the whole line. */
  readonly endsAt?: Instant;
}

/** The charges for one subscription. */
export interface SubscriptionCharges {
  readonly charges: readonly MeasuredCharge[];
  /** Usage that an earlier invoice billed and whose cost has changed. */
  readonly late?: readonly LateUsage[];
  /** The minimum commitment that this invoice bills, because the commitment's time is over. */
  readonly commitment?: MeasuredCommitment;
  /** Commitments that earlier invoices billed, and for whose time late usage has arrived. */
  readonly lateCommitments?: readonly CommitmentWithLateUsage[];
  /** The unit in which parts of a period are measured. If absent, it is time. */
  readonly basis?: ProrationBasis;
}

/** The charges for one of several subscriptions on an invoice. */
export interface InvoicePartCharges extends SubscriptionCharges {
  readonly subscriptionId: string;
}

/** The data from which {@link computeInvoice} computes an invoice. */
export interface InvoiceInput extends SubscriptionCharges {
  /** The id from which line ids are derived, so that a repeated computation gives the same line ids. */
  readonly invoiceId: string;
  readonly currency: string;
  /** The charges of several subscriptions that share the invoice. Each line names its subscription. */
  readonly parts?: readonly InvoicePartCharges[];
  /** The items of a manual invoice. */
  readonly items?: readonly InvoiceItem[];
  /** The coupons, in the order in which the customer got them. */
  readonly coupons?: readonly InvoiceCoupon[];
  /** The invoice's own rates. These tax rates apply to all lines whose price or item has no tax rates of its own. */
  readonly taxRates?: readonly TaxRate[];
  /**
   * The tax rates that prices and items refer to. If absent, tax rates of prices and items are ignored, because the customer is exempt or
   * no tax is requested.
   */
  readonly namedTaxRates?: readonly TaxRate[];
}

/** The minimum commitments of one subscription, with the amounts that were computed for this invoice. */
export interface ComputedCommitments {
  /** The committed amount and the charges that count towards it. Absent if the subscription has no commitment. */
  readonly commitment?: ComputedCommitment;
  /** Absent if no commitment has late usage. */
  readonly lateCommitments?: readonly RecountedCommitment[];
}

/** An invoice with all its computed amounts. Amounts have the currency's number of decimals. */
export interface ComputedInvoice extends ComputedCommitments {
  readonly currency: string;
  readonly lines: InvoiceLine[];
  /**
   * The computed commitments of each subscription, in the order of the input's `parts`. Absent if the invoice is not for several
   * subscriptions.
   */
  readonly parts?: readonly ComputedCommitments[];
  /** The sum of the lines. */
  readonly subtotal: DecimalString;
  /** The discounts by coupon. Only coupons that reduced a line are treated as used. */
  readonly discounts: readonly AppliedCoupon[];
  readonly taxes: readonly AppliedTax[];
  /**
   * The ids of the invoice's own tax rates. They are set only if the lines have different tax rates, and each line then names its rates. If
   * absent, all of `taxes` apply to all lines.
   */
  readonly taxRateIds?: readonly string[];
  /** The total amount, which is never negative. The part that is paid from a balance is decided when the invoice is opened. */
  readonly total: DecimalString;
  /** The amount by which the given-back amounts exceed the charges. The excess is added to the customer's balance. */
  readonly excess: DecimalString;
}

/**
 * Computes an invoice from the charges that are due. Previews and issued invoices use this computation, for one or several subscriptions.
 * The order of the computation is: lines, coupons for certain lines, coupons for the whole invoice, taxes. Each line and each tax rate is
 * rounded once, half away from zero. The total is the sum of the printed amounts. A line that gives back an amount of an earlier line has
 * the tax rates of that earlier line, if these rates are known. Throws RangeError if a price is not in the invoice's currency, a price with
 * a metric has no usage, or a tax rate is not in `namedTaxRates`.
 */
export function computeInvoice(input: InvoiceInput): ComputedInvoice {
  const {
    invoiceId,
    currency,
    parts = [],
    items = [],
    taxRates = [],
    ...charged
  } = input.namedTaxRates ? input : ignoreNamedTaxRates(input);
  const own = chargesOf(charged, invoiceId, currency);
  const ofParts = parts.map((part) => partCharges(part, invoiceId, currency, parts.length));
  const undiscounted = [
    ...[own, ...ofParts].flatMap((one) => one.lines),
    ...linesOfItems(items, { invoiceId, currency }),
  ];
  const coupons = lineCoupons(undiscounted, input);
  const discounts = deductCoupons(linesWithDiscountableAmounts(undiscounted, currency), coupons, currency);
  const rates = [...(input.namedTaxRates ?? []), ...[charged, ...parts].flatMap(ratesOfSources)];
  const discounted = withDiscounts(undiscounted, discounts, currency);
  const ownRateIds = taxRates.map(({ taxRateId }) => taxRateId);
  const { lines, taxes, added, taxRateIds } = taxesOnLines(
    withUsageGivenBack(discounted, [charged, ...parts], { currency, ownRateIds }),
    taxRates,
    rates,
    currency,
  );
  const subtotal = sumOf(lines.map(({ amount }) => amount));
  const gross = subtotal.minus(sumOf(discounts.map(({ amount }) => amount))).plus(added);
  return {
    currency,
    lines,
    ...own.commitments,
    ...(input.parts ? { parts: ofParts.map(({ commitments }) => commitments) } : {}),
    subtotal: moneyString(subtotal, currency),
    discounts,
    taxes,
    ...(taxRateIds ? { taxRateIds } : {}),
    total: moneyString(Decimal.max(gross, 0), currency),
    excess: moneyString(Decimal.max(gross.negated(), 0), currency),
  };
}

/** Tells whether a coupon applies to a line. The coupon can be limited to some prices and subscriptions. */
export function couponApplies(
  { priceId, subscriptionId }: Pick<InvoiceLine, 'priceId' | 'subscriptionId'>,
  { priceIds, subscriptionIds }: Pick<InvoiceCoupon, 'priceIds' | 'subscriptionIds'>,
): boolean {
  return (
    (priceIds === undefined || (priceId !== null && priceIds.includes(priceId))) &&
    (subscriptionIds === undefined ||
      (subscriptionId !== undefined && subscriptionIds.includes(subscriptionId)))
  );
}

/** Returns the input without the tax rates of prices and items. */
function ignoreNamedTaxRates(input: InvoiceInput): InvoiceInput {
  const unnamed = <One extends Charge>(charge: One): One => {
    const { taxRateIds: _, ...price } = charge.price;
    return { ...charge, price };
  };
  const ofOne = <One extends SubscriptionCharges>(charged: One): One => ({
    ...charged,
    charges: charged.charges.map(unnamed),
    ...(charged.late ? { late: charged.late.map((one) => ({ ...one, charge: unnamed(one.charge) })) } : {}),
  });
  return {
    ...ofOne(input),
    ...(input.parts ? { parts: input.parts.map(ofOne) } : {}),
    ...(input.items ? { items: input.items.map(({ taxRateIds: _, ...item }) => item) } : {}),
  };
}

/** The tax rates of all earlier lines whose amounts are given back. */
function ratesOfSources({ charges, late = [], lateCommitments = [] }: SubscriptionCharges): TaxRate[] {
  const sources = [...charges.map(({ invoiced }) => invoiced), ...late, ...lateCommitments].flatMap(
    (one) => one?.sources ?? [],
  );
  return [...charges, ...sources].flatMap(({ taxRates = [] }) => taxRates);
}

interface ChargedLines {
  readonly lines: readonly InvoiceLine[];
  readonly commitments: ComputedCommitments;
}

/** The lines of one subscription. The ids of the lines are derived from `name`. */
function chargesOf(
  { charges, late = [], basis = PRORATION_BY_TIME, ...committed }: SubscriptionCharges,
  name: string,
  currency: string,
  subscriptionCount = 1,
): ChargedLines {
  for (const { price } of [...charges, ...late.map(({ charge }) => charge)])
    if (price.config.currency !== currency)
      throw new RangeError(
        `Price ${price.priceId} is in ${price.config.currency}, the invoice in ${currency}`,
      );
  const context = { invoiceId: name, basis, currency, subscriptionCount };
  const commitment = committed.commitment && computeCommitment(committed.commitment, charges, context);
  const lateCommitments = recountCommitments(committed.lateCommitments ?? [], late, currency);
  return {
    lines: [
      ...linesOfCharges(charges, context),
      ...progressiveCreditLines(charges, context),
      ...(commitment ? commitmentLines(commitment, name, currency) : []),
      ...lateUsageLines(late, name),
      ...recountedCommitmentLines(lateCommitments, late, context),
    ],
    commitments: {
      ...(commitment ? { commitment } : {}),
      ...(lateCommitments.length > 0 ? { lateCommitments } : {}),
    },
  };
}

/**
 * Computes the lines of one of several subscriptions. Two subscriptions can have the same charge for the same time, so line ids are also
 * derived from the subscription.
 */
function partCharges(
  part: InvoicePartCharges,
  invoiceId: string,
  currency: string,
  subscriptionCount: number,
): ChargedLines {
  const { subscriptionId } = part;
  const { lines, commitments } = chargesOf(
    part,
    `${invoiceId} ${subscriptionId}`,
    currency,
    subscriptionCount,
  );
  return { lines: lines.map((line) => ({ ...line, subscriptionId })), commitments };
}

function lineCoupons(lines: readonly InvoiceLine[], input: InvoiceInput): UsableCoupon[] {
  const { coupons = [] } = input;
  return coupons.map(({ priceIds, subscriptionIds, endsAt, ...coupon }) => {
    const shares = endsAt === undefined ? {} : { lineShares: sharesBefore(endsAt, lines, input) };
    if (priceIds === undefined && subscriptionIds === undefined) return { ...coupon, ...shares };
    const limits = { ...(priceIds ? { priceIds } : {}), ...(subscriptionIds ? { subscriptionIds } : {}) };
    const lineIds = lines.filter((line) => couponApplies(line, limits)).map(({ id }) => id);
    return { ...coupon, ...shares, lineIds };
  });
}

/** The share of each line whose time is partly before `endsAt`, by line id. A line without a length has no share. */
function sharesBefore(
  endsAt: Instant,
  lines: readonly InvoiceLine[],
  { basis = PRORATION_BY_TIME, parts = [] }: InvoiceInput,
): Map<string, Decimal> {
  const ending = lines.filter(({ periodStart, periodEnd }) => periodStart < periodEnd && endsAt < periodEnd);
  return new Map(
    ending.map(({ id, subscriptionId, periodStart: start, periodEnd: end }) => {
      const part = parts.find((one) => one.subscriptionId === subscriptionId);
      const before = { start, end: earlierOf(endsAt, end) };
      return [id, prorate(new Decimal(1), before, { start, end }, part?.basis ?? basis)];
    }),
  );
}

function withDiscounts(
  lines: readonly InvoiceLine[],
  discounts: readonly AppliedCoupon[],
  currency: string,
): InvoiceLine[] {
  const parts = Map.groupBy(
    discounts.flatMap(({ couponId, lines: of }) => of.map((part) => ({ couponId, ...part }))),
    ({ id }) => id,
  );
  return lines.map((line) => {
    const taken = parts.get(line.id);
    if (taken === undefined) return line;
    const discount = moneyString(sumOf(taken.map(({ amount }) => amount)), currency);
    const discountedBy = taken.map(({ couponId, amount }) => ({ couponId, amount }));
    return { ...line, discount, ...(taken.length > 1 ? { discountedBy } : {}) };
  });
}
