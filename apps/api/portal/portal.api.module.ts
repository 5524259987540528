import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule } from '#libs/contexts/billing';
import { CatalogModule } from '#libs/contexts/catalog';
import { CreditPurchasesModule } from '#libs/contexts/credit-purchases';
import { CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { WorkspaceNamesModule } from '#libs/contexts/identity';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { CreditTypesReadModule } from '#projections/credit-types';
import { CustomersReadModule } from '#projections/customers';
import { InvoicesReadModule } from '#projections/invoices';
import { MetricsReadModule } from '#projections/metrics';
import { PlansReadModule } from '#projections/plans';
import { PricesReadModule } from '#projections/prices';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { WalletsReadModule } from '#projections/wallets';
import { EntitlementsApiModule } from '../entitlements/entitlements.api.module.js';
import { PortalCustomerController } from './portal-customer.controller.js';
import { PortalInvoicesController } from './portal-invoices.controller.js';
import { InvoicePageUrlFinder } from './invoice-page-url-finder.js';
import { PortalLanguageFinder } from './portal-language.js';
import { PortalPaymentMethodsController } from './portal-payment-methods.controller.js';
import { PortalPlansController } from './portal-plans.controller.js';
import { PortalSessionsController } from './portal-sessions.controller.js';
import { PortalSubscriptionFinder } from './portal-subscription-finder.js';
import { PortalUsageMeter } from './portal-usage-meter.js';
import { PortalUsageController } from './portal-usage.controller.js';
import { PortalWalletsController } from './portal-wallets.controller.js';

@Module({
  imports: [
    CqrsModule,
    EntitlementsApiModule,
    WorkspaceNamesModule,
    BillingModule,
    CatalogModule,
    CreditPurchasesModule,
    CreditsModule,
    CustomersModule,
    InvoicingModule,
    PaymentsModule,
    CreditTypesReadModule,
    CustomersReadModule,
    InvoicesReadModule,
    MetricsReadModule,
    PlansReadModule,
    PricesReadModule,
    SubscriptionsReadModule,
    WalletsReadModule,
  ],
  controllers: [
    PortalSessionsController,
    PortalCustomerController,
    PortalPaymentMethodsController,
    PortalPlansController,
    PortalUsageController,
    PortalWalletsController,
    PortalInvoicesController,
  ],
  providers: [InvoicePageUrlFinder, PortalLanguageFinder, PortalSubscriptionFinder, PortalUsageMeter],
})
export class PortalApiModule {}
