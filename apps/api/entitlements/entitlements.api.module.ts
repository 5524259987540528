import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { EntitlementsModule } from '#libs/contexts/entitlements';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { UsageModule } from '#libs/usage';
import { CustomersReadModule } from '#projections/customers';
import { EntitlementGrantsReadModule } from '#projections/entitlement-grants';
import { UsageApiModule } from '../usage/usage.api.module.js';
import { EntitlementSourcesReader } from './entitlement-sources.js';
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
    UsageApiModule,
  ],
  controllers: [EntitlementsController, EntitlementGrantsController],
  providers: [EntitlementSourcesReader, CustomerEntitlements],
  exports: [CustomerEntitlements],
})
export class EntitlementsApiModule {}
