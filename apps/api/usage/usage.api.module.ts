import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CreditCosts, CreditGate, CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
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
import { MetricsReadModule } from '#projections/metrics';
import { CreditCostsOnRecord } from './credit-costs-on-record.js';
import { CustomersOnRecord } from './customers-on-record.js';
import { MetricsOnRecord } from './metrics-on-record.js';
import { UsageController } from './usage.controller.js';

@Module({
  imports: [
    CqrsModule,
    CreditsModule,
    CustomersModule,
    CreditTypesReadModule,
    MetricsReadModule,
    UsageModule,
  ],
  controllers: [UsageController],
  providers: [
    UsageIngest,
    GatedUsageLog,
    CreditGate,
    {
      provide: UsageGate,
      useFactory: (credits: CreditGate) => new UsageGates([credits]),
      inject: [CreditGate],
    },
    { provide: CreditCosts, useClass: CreditCostsOnRecord },
    { provide: CustomerDirectory, useClass: CustomersOnRecord },
    { provide: MetricDirectory, useClass: MetricsOnRecord },
  ],
  exports: [UsageIngest, CreditCosts, CustomerDirectory],
})
export class UsageApiModule {}
