import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CreditCostDirectory, CreditGate, CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { CustomerCalendars, LimitGate, UsageLimitsModule } from '#libs/contexts/usage-limits';
import {
  ChargeDirectory,
  CustomerDirectory,
  GatedUsageLog,
  MetricDirectory,
  UsageGate,
  CombinedUsageGate,
  UsageIngest,
  UsageModule,
} from '#libs/usage';
import { CreditTypesReadModule } from '#projections/credit-types';
import { CustomersReadModule } from '#projections/customers';
import { MetricsReadModule } from '#projections/metrics';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { RememberedCharges } from './remembered-charges.js';
import { RememberedCreditCosts } from './remembered-credit-costs.js';
import { RememberedCustomers } from './remembered-customers.js';
import { RememberedCustomerCalendars } from './remembered-customer-calendars.js';
import { RememberedMetrics } from './remembered-metrics.js';
import { UnchargedEventSearch } from './uncharged-event-search.js';
import { UsageController } from './usage.controller.js';
import { WorkspaceCaches } from './workspace-cache.js';

@Module({
  imports: [
    CqrsModule,
    CreditsModule,
    CustomersModule,
    CreditTypesReadModule,
    CustomersReadModule,
    MetricsReadModule,
    SubscriptionsReadModule,
    UsageLimitsModule,
    UsageModule,
  ],
  controllers: [UsageController],
  providers: [
    WorkspaceCaches,
    UsageIngest,
    GatedUsageLog,
    CreditGate,
    LimitGate,
    {
      provide: UsageGate,
      // The gates, in the order in which they lock rows.
      useFactory: (credits: CreditGate, limits: LimitGate) => new CombinedUsageGate([credits, limits]),
      inject: [CreditGate, LimitGate],
    },
    { provide: CreditCostDirectory, useClass: RememberedCreditCosts },
    { provide: CustomerCalendars, useClass: RememberedCustomerCalendars },
    { provide: CustomerDirectory, useClass: RememberedCustomers },
    { provide: ChargeDirectory, useClass: RememberedCharges },
    UnchargedEventSearch,
    RememberedMetrics,
    { provide: MetricDirectory, useExisting: RememberedMetrics },
  ],
  exports: [UsageIngest, CreditCostDirectory, CustomerCalendars, CustomerDirectory, RememberedMetrics],
})
export class UsageApiModule {}
