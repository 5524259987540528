export { ApplyCoupon, type CouponTarget } from './commands/apply-coupon.js';
export { CreateCoupon } from './commands/create-coupon.js';
export { DeactivateCoupon } from './commands/deactivate-coupon.js';
export { RemoveCoupon } from './commands/remove-coupon.js';
export { couponDecider, requireRedeemable, type Coupon } from './coupon.js';
export { Coupons } from './coupons.js';
export { CouponsModule } from './coupons.module.js';
export {
  isUsableOnInvoice,
  customerCouponsDecider,
  usableCoupons,
  type CustomerCoupon,
  type UsableCustomerCoupon,
  type CustomerCoupons,
} from './customer-coupons.js';
export type { CouponDetails, CouponEvent, Redemption, RedemptionEvent } from './events.js';
export { presentCoupon, presentRedemption } from './present.js';
