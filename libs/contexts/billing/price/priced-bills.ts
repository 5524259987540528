import { partOf, type Invoice, type UsageReading } from '#libs/contexts/invoicing';
import {
  computeInvoice,
  type ComputedCommitments,
  type ComputedInvoice,
  type PriceSnapshot,
  type ProrationBasis,
} from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import type { Terms } from './billing-terms.js';
import { couponsWith, type TermsCoupon } from './coupon-terms.js';
import { asBilled, carriedFees, remainingFee } from '../earlier-invoices/remaining-fees.js';
import type { FoundLate } from '../earlier-invoices/late-usage.js';
import type { MeasuredBill } from '../measure/measured-bill.js';

/** How what a bill charges for was measured, and what its commitments came to. */
export interface PricedPart extends ComputedCommitments, Omit<FoundLate, 'lateCommitments'> {
  readonly readings: UsageReading[];
  readonly basis: ProrationBasis;
}

/** The bills of one invoice with its lines. */
export interface PricedBills extends Omit<ComputedInvoice, keyof ComputedCommitments | 'parts'> {
  /** Of each bill, in their order. */
  readonly parts: readonly PricedPart[];
  readonly terms: Terms;
}

/** The invoice of bills that have been measured: of one, or of several as its parts. */
export function priced(bills: readonly Bill[], measured: readonly MeasuredBill[], terms: Terms): PricedBills {
  const { invoiceId, currency } = bills[0]!;
  const [first] = measured as [MeasuredBill];
  const parts = measured.map(({ charged }, i) => ({ ...charged, subscriptionId: bills[i]!.subscriptionId }));
  const coupons = terms.coupons.map(({ redemptionId: couponId, discount, priceIds, subscriptionIds }) => ({
    ...{ couponId, discount },
    ...(priceIds === undefined ? {} : { priceIds }),
    ...(subscriptionIds === undefined ? {} : { subscriptionIds }),
  }));
  const computed = computeInvoice({
    ...{ invoiceId, currency, coupons, taxRates: terms.taxRates },
    ...(terms.namedTaxRates ? { namedTaxRates: terms.namedTaxRates } : {}),
    ...(bills.length === 1 ? first.charged : { charges: [], parts }),
  });
  const { commitment, lateCommitments, parts: ofParts, ...whole } = computed;
  const alone = { ...(commitment ? { commitment } : {}), ...(lateCommitments ? { lateCommitments } : {}) };
  const commitments = ofParts ?? [alone];
  return {
    ...whole,
    parts: measured.map(({ charged: { basis }, carried: _, ...notes }, i) => ({
      ...notes,
      basis,
      ...commitments[i],
    })),
    terms,
  };
}

/** The prices that bills charge by, also for what came late. */
export function pricesOf(measured: readonly MeasuredBill[]): PriceSnapshot[] {
  return measured.flatMap(({ charged: { charges, late = [] } }) =>
    [...charges, ...late.map(({ charge }) => charge)].map(({ price }) => price),
  );
}

/**
 * The fees of a bill, before taxes: without what it charges for usage, or up to a minimum commitment. What it gives back was
 * charged by `invoices`, or by `lastBill`, whose invoice is still in the making.
 */
export function pricedFees(
  bill: Bill,
  usable: readonly TermsCoupon[],
  basis: ProrationBasis,
  { invoices, lastBill }: { readonly invoices: readonly Invoice[]; readonly lastBill: Bill | null },
): PricedBills {
  const chargedBy = (id: string) => {
    const made = invoices.find(({ invoiceId }) => invoiceId === id);
    if (made) return partOf(made, bill.subscriptionId);
    return lastBill?.invoiceId === id ? asBilled(lastBill, basis) : undefined;
  };
  const fees = bill.charges.filter(({ price }) => price.metricId === null);
  const charges = fees.map((charge) => {
    const { refund } = charge;
    if (!refund) return charge;
    return {
      ...charge,
      left: remainingFee({ ...charge, refund }, chargedBy(refund.invoiceId), bill.invoiceId),
    };
  });
  const coupons = couponsWith(
    usable,
    carriedFees(bill, ({ refund }) => chargedBy(refund.invoiceId), basis),
  );
  const measured = { charged: { charges, basis }, readings: [], lateReadings: [] };
  return priced([bill], [measured], { coupons, bases: [basis], taxRates: [] });
}
