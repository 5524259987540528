import { jsonNumber } from '#libs/kernel/core';
import type { CouponDuration, Discount } from '#libs/rating';
import type { Coupon } from './coupon.js';
import type { CustomerCoupon } from './customer-coupons.js';

/** Converts a coupon to its form in the API. */
export function presentCoupon(coupon: Coupon) {
  return {
    id: coupon.couponId,
    name: coupon.name,
    nameTranslations: coupon.nameTranslations ?? {},
    ...presentDiscount(coupon.discount),
    ...presentDuration(coupon.duration),
    maxRedemptions: coupon.maxRedemptions,
    redemptions: coupon.redemptions,
    expiresAt: coupon.expiresAt,
    planIds: coupon.planIds,
    priceIds: coupon.priceIds,
    active: coupon.active,
    createdAt: coupon.createdAt,
  };
}

/** Converts a customer's coupon to its form in the API. */
export function presentRedemption(redemption: CustomerCoupon) {
  return {
    id: redemption.redemptionId,
    couponId: redemption.couponId,
    subscriptionId: redemption.subscriptionId,
    name: redemption.name,
    ...presentDiscount(redemption.discount),
    ...presentDuration(redemption.duration),
    usedOn: redemption.invoiceIds,
    redeemedAt: redemption.redeemedAt,
  };
}

/** Converts a discount to its form in the API: a percentage, or an amount. */
export function presentDiscount(discount: Discount) {
  return discount.type === 'percentage'
    ? { percentOff: jsonNumber(discount.percent), amountOff: null, currency: null }
    : { percentOff: null, amountOff: jsonNumber(discount.amount), currency: discount.currency };
}

function presentDuration(duration: CouponDuration) {
  return {
    duration: duration.type === 'months' ? 'repeating' : duration.type,
    durationInInvoices: duration.type === 'repeating' ? duration.invoices : null,
    durationInMonths: duration.type === 'months' ? duration.months : null,
  };
}
