import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { CustomerDirectory, MetricDirectory, UsageIngest, UsageModule } from '#libs/usage';
import { MetricsReadModule } from '#projections/metrics';
import { CustomersOnRecord } from './customers-on-record.js';
import { MetricsOnRecord } from './metrics-on-record.js';
import { UsageController } from './usage.controller.js';

@Module({
  imports: [CqrsModule, CustomersModule, MetricsReadModule, UsageModule],
  controllers: [UsageController],
  providers: [
    UsageIngest,
    { provide: CustomerDirectory, useClass: CustomersOnRecord },
    { provide: MetricDirectory, useClass: MetricsOnRecord },
  ],
  exports: [UsageIngest],
})
export class UsageApiModule {}
