export { CouponQueries } from './coupon-queries.js';
export { CouponsReadModule } from './coupons-read.module.js';
export { CustomerCouponQueries } from './customer-coupon-queries.js';
