import { Entity, Index } from 'typeorm';
import type { CustomerCoupons } from '#libs/coupons';
import { SnapshotRow } from '#libs/projection';

/** `id` is the customer's. */
@Entity({ schema: 'read', name: 'customer_coupons' })
@Index(['accountId', 'id'])
export class CustomerCouponsRow extends SnapshotRow<CustomerCoupons> {}
