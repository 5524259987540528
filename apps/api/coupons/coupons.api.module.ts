import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CouponsModule } from '#libs/contexts/coupons';
import { CustomersModule } from '#libs/contexts/customers';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { CouponsReadModule } from '#projections/coupons';
import { CouponsController } from './coupons.controller.js';
import { CustomerCouponsController } from './customer-coupons.controller.js';
import { SubscriptionCouponsController } from './subscription-coupons.controller.js';

@Module({
  imports: [CqrsModule, CouponsModule, CustomersModule, SubscriptionsModule, CouponsReadModule],
  controllers: [CouponsController, CustomerCouponsController, SubscriptionCouponsController],
})
export class CouponsApiModule {}
