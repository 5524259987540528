import { customerCouponsDecider } from '#libs/contexts/coupons';
import { snapshotProjection } from '#libs/kernel/projection';
import { CustomerCouponsRow } from './customer-coupons-row.js';

/** The coupons of each customer that has or had a coupon. This projection is used to compute the discounts of many customers at once. */
export const customerCouponsProjection = snapshotProjection({
  name: 'customer-coupons',
  version: 1,
  entity: CustomerCouponsRow,
  decider: customerCouponsDecider,
  columns: () => ({}),
});
