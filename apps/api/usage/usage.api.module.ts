import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CreditCostDirectory, CreditGate, CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { CustomerCalendars, LimitGate, UsageLimitsModule } from '#libs/contexts/usage-limits';
import {
  CustomerDirectory,
  GatedUsageLog,
  MetricDirectory,
  UsageGate,
  UsageGates,
  UsageIngest,
  UsageModule,
} from '#libs/usage';
import { CreditTypesReadModule } from '#projections/credit-types';
import { CustomersReadModule } from '#projections/customers';
import { MetricsReadModule } from '#projections/metrics';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { CreditCostsOnRecord } from './credit-costs-on-record.js';
import { CustomersOnRecord } from './customers-on-record.js';
import { CustomerCalendarsOnRecord } from './customer-calendars-on-record.js';
import { MetricsOnRecord } from './metrics-on-record.js';
import { UsageController } from './usage.controller.js';

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
    UsageIngest,
    GatedUsageLog,
    CreditGate,
    LimitGate,
    {
      provide: UsageGate,
      // The gates, in the order in which they lock rows.
      useFactory: (credits: CreditGate, limits: LimitGate) => new UsageGates([credits, limits]),
      inject: [CreditGate, LimitGate],
    },
    { provide: CreditCostDirectory, useClass: CreditCostsOnRecord },
    { provide: CustomerCalendars, useClass: CustomerCalendarsOnRecord },
    { provide: CustomerDirectory, useClass: CustomersOnRecord },
    MetricsOnRecord,
    { provide: MetricDirectory, useExisting: MetricsOnRecord },
  ],
  exports: [UsageIngest, CreditCostDirectory, CustomerCalendars, CustomerDirectory, MetricsOnRecord],
})
export class UsageApiModule {}
