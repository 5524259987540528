import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/customers';
import { CustomersReadModule } from '#projections/customers';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { CustomersController } from './customers.controller.js';

@Module({
  imports: [CqrsModule, CustomersModule, CustomersReadModule, SubscriptionsReadModule],
  controllers: [CustomersController],
})
export class CustomersApiModule {}
