import { subscriptionPartOf, type Invoice, type UsageReading } from '#libs/contexts/invoicing';
import {
  computeInvoice,
  type ComputedCommitments,
  type ComputedInvoice,
  type InvoiceItem,
  type PriceSnapshot,
  type ProrationBasis,
} from '#libs/rating';
import type { Bill } from '#libs/contexts/subscriptions';
import type { InvoicePricingTerms } from './billing-terms-finder.js';
import { withCarriedCoupons, type ApplicableCoupon } from './applicable-coupons.js';
import {
  plannedFeeInvoice,
  carriedFeeDiscounts,
  findRemainingFee,
} from '../earlier-invoices/remaining-fee-finder.js';
import type { FoundLateUsage } from '../earlier-invoices/late-usage-finder.js';
import type { MeasuredBill } from '../measure/measured-bill.js';

/** The measurements and the commitments of one bill of an invoice. */
export interface BillContribution extends ComputedCommitments, Omit<FoundLateUsage, 'lateCommitments'> {
  readonly readings: UsageReading[];
  readonly basis: ProrationBasis;
}

/** The computed invoice of one or more bills, with the part of each bill. */
export interface PricedBills extends Omit<ComputedInvoice, keyof ComputedCommitments | 'parts'> {
  /** One part for each bill, in the order of the bills. */
  readonly parts: readonly BillContribution[];
  readonly terms: InvoicePricingTerms;
}

/**
 * Computes the invoice of measured bills. Each of several bills becomes a part of one invoice. `items` are additional lines of the invoice,
 * such as overage of prepaid credits.
 */
export function computePricedBills(
  bills: readonly Bill[],
  measured: readonly MeasuredBill[],
  terms: InvoicePricingTerms,
  items: readonly InvoiceItem[] = [],
): PricedBills {
  const { invoiceId, currency } = bills[0]!;
  const [first] = measured as [MeasuredBill];
  const parts = measured.map(({ subscriptionCharges: charged }, i) => ({
    ...charged,
    subscriptionId: bills[i]!.subscriptionId,
  }));
  const coupons = terms.coupons.map(
    ({ redemptionId: couponId, discount, priceIds, subscriptionIds, endsAt }) => ({
      couponId,
      discount,
      ...(priceIds === undefined ? {} : { priceIds }),
      ...(subscriptionIds === undefined ? {} : { subscriptionIds }),
      ...(endsAt === undefined ? {} : { endsAt }),
    }),
  );
  const computed = computeInvoice({
    invoiceId,
    currency,
    items,
    coupons,
    taxRates: terms.taxRates,
    ...(terms.namedTaxRates ? { namedTaxRates: terms.namedTaxRates } : {}),
    ...(bills.length === 1 ? first.subscriptionCharges : { charges: [], parts }),
  });
  const { commitment, lateCommitments, parts: ofParts, ...whole } = computed;
  const alone = { ...(commitment ? { commitment } : {}), ...(lateCommitments ? { lateCommitments } : {}) };
  const commitments = ofParts ?? [alone];
  return {
    ...whole,
    parts: measured.map(({ subscriptionCharges: { basis }, carried: _, ...notes }, i) => ({
      ...notes,
      basis,
      ...commitments[i],
    })),
    terms,
  };
}

/** The prices of measured bills, including the prices of late usage. */
export function pricesOfBills(measured: readonly MeasuredBill[]): PriceSnapshot[] {
  return measured.flatMap(({ subscriptionCharges: { charges, late = [] } }) =>
    [...charges, ...late.map(({ charge }) => charge)].map(({ price }) => price),
  );
}

/**
 * Prices the fees of a bill, without taxes, usage and minimum commitments. The fees that the bill gives back were charged by `invoices`, or
 * by `lastBill`. The invoice of `lastBill` does not exist yet.
 */
export function priceFees(
  bill: Bill,
  usable: readonly ApplicableCoupon[],
  basis: ProrationBasis,
  { invoices, lastBill }: { readonly invoices: readonly Invoice[]; readonly lastBill: Bill | null },
): PricedBills {
  const chargedBy = (id: string) => {
    const made = invoices.find(({ invoiceId }) => invoiceId === id);
    if (made) return subscriptionPartOf(made, bill.subscriptionId);
    return lastBill?.invoiceId === id ? plannedFeeInvoice(lastBill, basis) : undefined;
  };
  const fees = bill.charges.filter(({ price }) => price.metricId === null);
  const charges = fees.map((charge) => {
    const { refund } = charge;
    if (!refund) return charge;
    return {
      ...charge,
      remainingFee: findRemainingFee(
        { ...charge, refund },
        chargedBy(refund.invoiceId),
        bill.invoiceId,
        basis,
      ),
    };
  });
  const coupons = withCarriedCoupons(
    usable,
    carriedFeeDiscounts(bill, ({ refund }) => chargedBy(refund.invoiceId), basis),
  );
  const measured = { subscriptionCharges: { charges, basis }, readings: [], lateReadings: [] };
  return computePricedBills([bill], [measured], { coupons, prorationBases: [basis], taxRates: [] });
}
