import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Coupon } from '#libs/contexts/coupons';
import { SnapshotQueries } from '#libs/kernel/projection';
import { CouponRow } from './coupon-row.js';

@Injectable()
export class CouponQueries extends SnapshotQueries<CouponRow, Coupon> {
  constructor(@InjectRepository(CouponRow) rows: Repository<CouponRow>) {
    super(rows, { resource: 'coupon', shownOf: ({ state }) => state });
  }
}
