import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomerSubscriptionsModule } from '#libs/contexts/billing';
import { requireSetting, type Settings } from '#libs/kernel/system';
import { DocumentsModule } from '#libs/outputs/documents';
import { EventStoreModule } from '#libs/kernel/event-store';
import { IdempotentRequests } from '#libs/kernel/idempotency';
import { IdentityModule } from '#libs/contexts/identity';
import { PostgresModule } from '#libs/kernel/postgres';
import { PlannedPriceMigrationsModule } from '#libs/contexts/price-migrations';
import { WorkspacesModule } from '#libs/kernel/workspaces';
import { LiveCustomerSubscriptions } from '#projections/subscriptions';
import { ApiKeysApiModule } from './api-keys/api-keys.api.module.js';
import { AuditApiModule } from './audit/audit.api.module.js';
import { AuthApiModule } from './auth/auth.api.module.js';
import { BalancesApiModule } from './balances/balances.api.module.js';
import { BillingApiModule } from './billing/billing.api.module.js';
import { BillingSettingsApiModule } from './billing-settings/billing-settings.api.module.js';
import { CouponsApiModule } from './coupons/coupons.api.module.js';
import { CustomersApiModule } from './customers/customers.api.module.js';
import { HealthApiModule } from './health/health.api.module.js';
import { HttpAuthModule } from './http/auth/index.js';
import { HostedInvoiceApiModule } from './hosted-invoice/hosted-invoice.api.module.js';
import { CommandContextInterceptor } from './http/command-context.js';
import { DeclaredQueries } from './http/declared-queries.js';
import { IdempotencyInterceptor } from './http/idempotency.interceptor.js';
import { ReadModelsModule } from './http/read-models.module.js';
import { ReadYourWritesInterceptor } from './http/read-your-writes.js';
import { SettingsModule } from './http/settings.module.js';
import { TimeLimitInterceptor } from './http/time-limit.js';
import { InvoicesApiModule } from './invoices/invoices.api.module.js';
import { LedgerApiModule } from './ledger/ledger.api.module.js';
import { MetricsApiModule } from './metrics/metrics.api.module.js';
import { PaymentMethodsApiModule } from './payment-methods/payment-methods.api.module.js';
import { PlansApiModule } from './plans/plans.api.module.js';
import { PriceMigrationsApiModule } from './price-migrations/price-migrations.api.module.js';
import { PricesApiModule } from './prices/prices.api.module.js';
import { SandboxApiModule } from './sandbox/sandbox.api.module.js';
import { SubscriptionsApiModule } from './subscriptions/subscriptions.api.module.js';
import { TaxRatesApiModule } from './tax-rates/tax-rates.api.module.js';
import { UsageApiModule } from './usage/usage.api.module.js';
import { UsageIntakeModule } from './usage/usage-intake.module.js';
import { UsersApiModule } from './users/users.api.module.js';
import { WebhooksApiModule } from './webhooks/webhooks.api.module.js';

/** The HTTP application. Interceptors run in this order around every handler. */
@Module({})
export class ApiModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        SettingsModule.forRoot(settings),
        PostgresModule.forRoot(settings, 'countinghouse api'),
        EventStoreModule.forRoot(settings),
        WorkspacesModule,
        ReadModelsModule,
        CqrsModule.forRoot(),
        DocumentsModule.forRoot(settings),
        IdentityModule.forRoot(settings),
        CustomerSubscriptionsModule.with(LiveCustomerSubscriptions),
        PlannedPriceMigrationsModule,
        HttpAuthModule,
        HealthApiModule,
        AuthApiModule,
        UsersApiModule,
        ApiKeysApiModule,
        SandboxApiModule,
        CouponsApiModule,
        CustomersApiModule,
        BalancesApiModule,
        PaymentMethodsApiModule,
        InvoicesApiModule,
        HostedInvoiceApiModule,
        LedgerApiModule,
        MetricsApiModule,
        PricesApiModule,
        PlansApiModule,
        SubscriptionsApiModule,
        TaxRatesApiModule,
        BillingApiModule,
        BillingSettingsApiModule,
        PriceMigrationsApiModule,
        UsageApiModule,
        ...(settings.natsUsage ? [UsageIntakeModule.forRoot(settings)] : []),
        WebhooksApiModule.forRoot(settings),
        AuditApiModule,
      ],
      providers: [
        {
          provide: IdempotentRequests,
          useFactory: () =>
            new IdempotentRequests(
              requireSetting(settings, 'databaseUrl'),
              requireSetting(settings, 'jwtSecret'),
            ),
        },
        { provide: APP_GUARD, useClass: DeclaredQueries },
        { provide: APP_INTERCEPTOR, useClass: TimeLimitInterceptor },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: CommandContextInterceptor },
        { provide: APP_INTERCEPTOR, useClass: ReadYourWritesInterceptor },
      ],
    };
  }
}
