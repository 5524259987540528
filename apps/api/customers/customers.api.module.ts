import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/customers';
import { BalancesReadModule } from '#projections/balances';
import { CustomersReadModule } from '#projections/customers';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { CurrencyChanges } from './currency-changes.js';
import { CustomersController } from './customers.controller.js';

@Module({
  imports: [CqrsModule, CustomersModule, BalancesReadModule, CustomersReadModule, SubscriptionsReadModule],
  controllers: [CustomersController],
  providers: [CurrencyChanges],
})
export class CustomersApiModule {}
