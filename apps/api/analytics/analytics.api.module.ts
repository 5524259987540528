import { Module } from '@nestjs/common';
import { UsageModule } from '#libs/usage';
import { InvoicesReadModule } from '#projections/invoices';
import { LedgerReadModule } from '#projections/ledger';
import { MetricsReadModule } from '#projections/metrics';
import { PricesReadModule } from '#projections/prices';
import { RecurringRevenueReadModule } from '#projections/recurring-revenue';
import { AnalyticsController } from './analytics.controller.js';

@Module({
  imports: [
    UsageModule,
    InvoicesReadModule,
    LedgerReadModule,
    MetricsReadModule,
    PricesReadModule,
    RecurringRevenueReadModule,
  ],
  controllers: [AnalyticsController],
})
export class AnalyticsApiModule {}
