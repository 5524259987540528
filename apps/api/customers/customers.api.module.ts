import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BalancesModule } from '#libs/contexts/balances';
import { CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { BalancesReadModule } from '#projections/balances';
import { CustomersReadModule } from '#projections/customers';
import { InvoicesReadModule } from '#projections/invoices';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { CurrencyChanges } from './currency-changes.js';
import { CustomersController } from './customers.controller.js';
import { DeletionChecks } from './deletion-checks.js';

@Module({
  imports: [
    CqrsModule,
    BalancesModule,
    CreditsModule,
    CustomersModule,
    InvoicingModule,
    SubscriptionsModule,
    BalancesReadModule,
    CustomersReadModule,
    InvoicesReadModule,
    SubscriptionsReadModule,
  ],
  controllers: [CustomersController],
  providers: [CurrencyChanges, DeletionChecks],
})
export class CustomersApiModule {}
