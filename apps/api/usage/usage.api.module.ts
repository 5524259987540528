import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/customers';
import { CustomerDirectory, UsageIngest, UsageModule } from '#libs/usage';
import { MetricsReadModule } from '#projections/metrics';
import { CustomerDeletions } from './customer-deletions.js';
import { CustomersOnRecord } from './customers-on-record.js';
import { UsageController } from './usage.controller.js';

@Module({
  imports: [CqrsModule, CustomersModule, MetricsReadModule, UsageModule],
  controllers: [UsageController],
  providers: [CustomerDeletions, UsageIngest, { provide: CustomerDirectory, useClass: CustomersOnRecord }],
  exports: [UsageIngest],
})
export class UsageApiModule {}
