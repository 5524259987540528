import type { CouponEvent, RedemptionEvent } from './events.js';
import { presentDiscount } from './present.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

export const auditTrailRules: AuditTrailRules<CouponEvent | RedemptionEvent> = {
  CouponCreated: {
    action: 'coupon.created',
    id: 'couponId',
    show: ['name', 'duration', 'maxRedemptions', 'expiresAt', 'planIds', 'priceIds'],
    showAs: { discount: presentDiscount },
  },
  // The audit trail shows `CouponApplied` instead.
  CouponRedeemed: INTERNAL,
  CouponRedemptionWithdrawn: INTERNAL,
  CouponDeactivated: { action: 'coupon.deactivated', id: 'couponId' },
  CouponApplied: {
    action: 'coupon.applied',
    id: 'couponId',
    show: ['customerId', 'subscriptionId', 'redemptionId'],
  },
  CouponRemoved: { action: 'coupon_redemption.removed', id: 'redemptionId', show: ['customerId'] },
  CouponUsed: { action: 'coupon_redemption.used', id: 'redemptionId', show: ['customerId', 'invoiceId'] },
  CouponUseReturned: {
    action: 'coupon_redemption.returned',
    id: 'redemptionId',
    show: ['customerId', 'invoiceId'],
  },
};
