import { Entity, Index } from 'typeorm';
import type { CustomerCoupons } from '#libs/contexts/coupons';
import { SnapshotRow } from '#libs/kernel/projection';

/** `id` is the customer's. */
@Entity({ schema: 'read', name: 'customer_coupons' })
@Index(['workspaceId', 'id'])
export class CustomerCouponsRow extends SnapshotRow<CustomerCoupons> {}
