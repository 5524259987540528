import { Entity, Index } from 'typeorm';
import { SnapshotRow } from '#libs/kernel/projection';
import type { Coupon } from '#libs/contexts/coupons';

@Entity({ schema: 'read', name: 'coupons' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'id'])
export class CouponRow extends SnapshotRow<Coupon> {}
