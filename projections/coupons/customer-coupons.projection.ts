import { customerCouponsDecider } from '#libs/contexts/coupons';
import { snapshotProjection } from '#libs/kernel/projection';
import { CustomerCouponsRow } from './customer-coupons-row.js';

/**
 * The coupons of each customer that has or had a coupon. A preview of a price migration reads the coupons of many customers at once from
 * these rows.
 */
export const customerCouponsProjection = snapshotProjection({
  name: 'customer-coupons',
  version: 2,
  entity: CustomerCouponsRow,
  decider: customerCouponsDecider,
  columnsOf: () => ({}),
});
