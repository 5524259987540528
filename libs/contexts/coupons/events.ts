import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { CouponDuration, Discount } from '#libs/rating';

/** What a coupon takes off, for how long and where: whoever has it keeps it so. */
export interface CouponTerms {
  couponId: string;
  /** As invoices print it. */
  name: string;
  discount: Discount;
  /** For how many invoices it counts. */
  duration: CouponDuration;
  /** Only subscriptions to one of these plans; null: all. */
  planIds: string[] | null;
  /** Only lines of one of these prices; null: the whole invoice. */
  priceIds: string[] | null;
}

/** A coupon as it is made. */
export interface CouponDetails extends CouponTerms {
  /** How often it can be redeemed; null: any number of times. */
  maxRedemptions: number | null;
  /** From when on it cannot be redeemed any more; null: never. Whoever has it by then keeps it. */
  expiresAt: Instant | null;
}

/** Somebody's use of a coupon: a customer's for all invoices, or for those of one subscription. */
export interface Redemption extends CouponTerms {
  redemptionId: string;
  subscriptionId: string | null;
  redeemedAt: Instant;
}

export type CouponEvent =
  | DomainEvent<'CouponCreated', { at: Instant } & CouponDetails>
  | DomainEvent<'CouponRedeemed', { couponId: string; redemptionId: string; customerId: string }>
  /** What it was redeemed for did not come about. */
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
  /** It takes something off this invoice. */
  | DomainEvent<'CouponUsed', { customerId: string; redemptionId: string; invoiceId: string }>
  /** The invoice was voided. */
  | DomainEvent<'CouponUseReturned', { customerId: string; redemptionId: string; invoiceId: string }>;

export const redemptionEvents: EventCatalog<RedemptionEvent> = {
  CouponApplied: v1,
  CouponRemoved: v1,
  CouponUsed: v1,
  CouponUseReturned: v1,
};
