import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CouponQueries } from './coupon-queries.js';
import { CouponRow } from './coupon-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([CouponRow])],
  providers: [CouponQueries],
  exports: [CouponQueries],
})
export class CouponsReadModule {}
