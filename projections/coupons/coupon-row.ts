import { Entity, Index } from 'typeorm';
import { SnapshotRow } from '#libs/projection';
import type { Coupon } from '#libs/coupons';

@Entity({ schema: 'read', name: 'coupons' })
@Index(['accountId', 'createdPosition'])
@Index(['accountId', 'id'])
export class CouponRow extends SnapshotRow<Coupon> {}
