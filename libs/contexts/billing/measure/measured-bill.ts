import type { UsageReading } from '#libs/contexts/invoicing';
import type { SubscriptionCharges, ProrationBasis } from '#libs/rating';
import type { CarriedDiscount } from '../earlier-invoices/carried-discounts.js';
import type { FoundLateUsage } from '../earlier-invoices/late-usage-finder.js';

/** A bill with the measurements that are needed to compute its price. */
export interface MeasuredBill extends Omit<FoundLateUsage, 'lateCommitments'> {
  readonly subscriptionCharges: SubscriptionCharges & { readonly basis: ProrationBasis };
  readonly readings: UsageReading[];
  /**
   * The unused coupon discounts of fees that the bill gives back, which also discount the bill's new fees. Absent if the bill is measured
   * again for an issued invoice, because the terms of that invoice already contain these discounts.
   */
  readonly carried?: readonly CarriedDiscount[];
}
