import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CouponQueries } from './coupon-queries.js';
import { CouponRow } from './coupon-row.js';
import { CustomerCouponQueries } from './customer-coupon-queries.js';
import { CustomerCouponsRow } from './customer-coupons-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([CouponRow, CustomerCouponsRow])],
  providers: [CouponQueries, CustomerCouponQueries],
  exports: [CouponQueries, CustomerCouponQueries],
})
export class CouponsReadModule {}
