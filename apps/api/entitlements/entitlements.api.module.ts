import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { EntitlementsModule } from '#libs/contexts/entitlements';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { UsageModule } from '#libs/usage';
import { CustomersReadModule } from '#projections/customers';
import { EntitlementGrantsReadModule } from '#projections/entitlement-grants';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { CustomerEntitlements } from './customer-entitlements.js';
import { EntitlementGrantsController } from './entitlement-grants.controller.js';
import { EntitlementsController } from './entitlements.controller.js';

@Module({
  imports: [
    CqrsModule,
    CatalogModule,
    EntitlementsModule,
    InvoicingModule,
    UsageModule,
    CustomersReadModule,
    EntitlementGrantsReadModule,
    SubscriptionsReadModule,
  ],
  controllers: [EntitlementsController, EntitlementGrantsController],
  providers: [CustomerEntitlements],
})
export class EntitlementsApiModule {}
