import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { ApplyCouponHandler } from './commands/apply-coupon.js';
import { CreateCouponHandler } from './commands/create-coupon.js';
import { DeactivateCouponHandler } from './commands/deactivate-coupon.js';
import { RemoveCouponHandler } from './commands/remove-coupon.js';
import { Coupons } from './coupons.js';
import { CouponsProcess } from './coupons.process.js';

@Module({
  imports: [CqrsModule, CatalogModule],
  providers: [
    CreateCouponHandler,
    DeactivateCouponHandler,
    ApplyCouponHandler,
    RemoveCouponHandler,
    Coupons,
    CouponsProcess,
  ],
  exports: [Coupons, CouponsProcess],
})
export class CouponsModule {}
