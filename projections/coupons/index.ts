export { CouponQueries } from './coupon-queries.js';
export { couponsProjection } from './coupons.projection.js';
export { CouponsReadModule } from './coupons-read.module.js';
export { CustomerCouponQueries } from './customer-coupon-queries.js';
export { customerCouponsProjection } from './customer-coupons.projection.js';
