import { customerCouponsDecider } from '#libs/contexts/coupons';
import { snapshotProjection } from '#libs/kernel/projection';
import { CustomerCouponsRow } from './customer-coupons-row.js';

/** The coupons of each customer that has had any. Used to compute discounts of many customers at once. */
export const customerCouponsProjection = snapshotProjection({
  name: 'customer-coupons',
  version: 1,
  entity: CustomerCouponsRow,
  decider: customerCouponsDecider,
  columns: () => ({}),
});
