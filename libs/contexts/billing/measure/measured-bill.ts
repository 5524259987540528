import type { UsageReading } from '#libs/contexts/invoicing';
import type { Charged, ProrationBasis } from '#libs/rating';
import type { CarriedDiscount } from '../earlier-invoices/carried-discounts.js';
import type { FoundLate } from '../earlier-invoices/late-usage.js';

/** A bill with what it takes to price it. */
export interface MeasuredBill extends Omit<FoundLate, 'lateCommitments'> {
  readonly charged: Charged & { readonly basis: ProrationBasis };
  readonly readings: UsageReading[];
  /** What goes over of the coupons of fees that it gives back; absent: the terms have that. */
  readonly carried?: readonly CarriedDiscount[];
}
