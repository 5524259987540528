import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule } from '#libs/contexts/billing';
import { CustomersModule } from '#libs/contexts/customers';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { BillingReadModule } from '#projections/billing';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { BillingController } from './billing.controller.js';

@Module({
  imports: [
    CqrsModule,
    CustomersModule,
    SubscriptionsModule,
    BillingModule,
    SubscriptionsReadModule,
    BillingReadModule,
  ],
  controllers: [BillingController],
})
export class BillingApiModule {}
