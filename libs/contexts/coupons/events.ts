import type { Instant, NameTranslations } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { CouponDuration, CouponUse, Discount } from '#libs/rating';

/** The discount of a coupon, its duration and its limits. These terms are also stored with each customer who has the coupon. */
export interface CouponTerms {
  couponId: string;
  /** The name, as invoices print it. */
  name: string;
  /** The name in other languages. Absent if there are none, and in events of earlier versions. */
  nameTranslations?: NameTranslations;
  discount: Discount;
  /** How long invoices get the discount: one invoice, some billing periods, some months, or all invoices. */
  duration: CouponDuration;
  /** The plans whose subscriptions get the discount; null for all plans. */
  planIds: string[] | null;
  /** The prices whose lines get the discount; null for the whole invoice. */
  priceIds: string[] | null;
}

/** The fields of a new coupon. */
export interface CouponDetails extends CouponTerms {
  /** The number of times that the coupon can be redeemed. Null if the number of redemptions has no limit. */
  maxRedemptions: number | null;
  /** The time from which nobody can redeem the coupon. Null if the coupon never expires. Customers who already have the coupon keep it. */
  expiresAt: Instant | null;
}

/**
 * A coupon that a customer has, for the invoices of all subscriptions of the customer or only of one subscription. An invoice by hand gets
 * the coupon only if its request names the coupon.
 */
export interface Redemption extends CouponTerms {
  redemptionId: string;
  /** The subscription whose invoices get the discount. Null if the invoices of all subscriptions of the customer get the discount. */
  subscriptionId: string | null;
  redeemedAt: Instant;
}

export type CouponEvent =
  | DomainEvent<'CouponCreated', { at: Instant } & CouponDetails>
  | DomainEvent<'CouponRedeemed', { couponId: string; redemptionId: string; customerId: string }>
  /**
   * The redemption is no longer counted. A redemption is withdrawn if the coupon could not be applied or was never applied, or if the
   * subscription with the coupon was not created.
   */
  | DomainEvent<'CouponRedemptionWithdrawn', { couponId: string; redemptionId: string }>
  | DomainEvent<'CouponDeactivated', { couponId: string }>;

export const couponEvents: EventCatalog<CouponEvent> = {
  CouponCreated: v1,
  CouponRedeemed: v1,
  CouponRedemptionWithdrawn: v1,
  CouponDeactivated: v1,
};

export type RedemptionEvent =
  | DomainEvent<'CouponApplied', { customerId: string; at: Instant } & Omit<Redemption, 'redeemedAt'>>
  | DomainEvent<'CouponRemoved', { customerId: string; redemptionId: string; at: Instant }>
  /**
   * The coupon discounts this invoice. `at`, `timezone` and `periods` say when. They are absent in events of earlier versions: such a use
   * counts by itself, not with other uses in its billing period.
   */
  | DomainEvent<'CouponUsed', { customerId: string; redemptionId: string } & CouponUse>
  /** The use of the coupon is no longer counted, because the invoice was voided or its draft has no discount any more. */
  | DomainEvent<'CouponUseReturned', { customerId: string; redemptionId: string; invoiceId: string }>;

export const redemptionEvents: EventCatalog<RedemptionEvent> = {
  CouponApplied: v1,
  CouponRemoved: v1,
  CouponUsed: v1,
  CouponUseReturned: v1,
};
