import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BalancesModule } from '#libs/contexts/balances';
import { CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PrivacyModule } from '#libs/contexts/privacy';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { BalancesReadModule } from '#projections/balances';
import { CustomersReadModule } from '#projections/customers';
import { InvoicesReadModule } from '#projections/invoices';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { CurrencyChangeChecks } from './currency-change-checks.js';
import { CustomersController } from './customers.controller.js';
import { DeletionChecks } from './deletion-checks.js';
import { ErasureController } from './erasure.controller.js';

@Module({
  imports: [
    CqrsModule,
    BalancesModule,
    CreditsModule,
    CustomersModule,
    InvoicingModule,
    PrivacyModule,
    SubscriptionsModule,
    BalancesReadModule,
    CustomersReadModule,
    InvoicesReadModule,
    SubscriptionsReadModule,
  ],
  controllers: [CustomersController, ErasureController],
  providers: [CurrencyChangeChecks, DeletionChecks],
})
export class CustomersApiModule {}
