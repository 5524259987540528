import { snapshotProjection } from '#libs/kernel/projection';
import { couponDecider } from '#libs/contexts/coupons';
import { CouponRow } from './coupon-row.js';

/** All coupons, including deactivated ones, for `GET /v1/coupons`. */
export const couponsProjection = snapshotProjection({
  name: 'coupons',
  version: 2,
  entity: CouponRow,
  decider: couponDecider,
  columnsOf: () => ({}),
});
