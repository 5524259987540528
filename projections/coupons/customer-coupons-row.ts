import { Entity, Index } from 'typeorm';
import type { CustomerCoupons } from '#libs/contexts/coupons';
import { SnapshotRow } from '#libs/kernel/projection';

/** The coupons of a customer. The field `id` is the id of the customer. */
@Entity({ schema: 'read', name: 'customer_coupons' })
@Index(['workspaceId', 'id'])
export class CustomerCouponsRow extends SnapshotRow<CustomerCoupons> {}
