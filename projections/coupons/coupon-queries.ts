import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { NotFound } from '#libs/core';
import type { Coupon } from '#libs/coupons';
import { CouponRow } from './coupon-row.js';

@Injectable()
export class CouponQueries {
  constructor(@InjectRepository(CouponRow) private readonly rows: Repository<CouponRow>) {}

  /** A page of the workspace's coupons, oldest first. */
  async list(accountId: string, page: { limit: number; offset: number }): Promise<Coupon[]> {
    const rows = await this.rows.find({
      where: { accountId },
      order: { createdPosition: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
    return rows.map(({ state }) => state);
  }

  /** One coupon; NotFound if it is not in the workspace. */
  async get(accountId: string, couponId: string): Promise<Coupon> {
    const row = await this.rows.findOneBy({ accountId, id: couponId });
    if (!row) throw NotFound.of('coupon', couponId);
    return row.state;
  }
}
