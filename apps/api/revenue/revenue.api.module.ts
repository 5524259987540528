import { Module } from '@nestjs/common';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { RevenueModule } from '#libs/contexts/revenue';
import { CustomersReadModule } from '#projections/customers';
import { LedgerReadModule } from '#projections/ledger';
import { PlansReadModule } from '#projections/plans';
import { PricesReadModule } from '#projections/prices';
import { SubscriptionsReadModule } from '#projections/subscriptions';
import { WalletsReadModule } from '#projections/wallets';
import { RevenueGroupNameFinder } from './revenue-group-name-finder.js';
import { MonthCloser } from './month-closer.js';
import { RevenueController } from './revenue.controller.js';
import { UsageModule } from '#libs/usage';
import { RevenueReports } from './revenue-reports.js';

@Module({
  imports: [
    InvoicingModule,
    RevenueModule,
    CustomersReadModule,
    LedgerReadModule,
    PlansReadModule,
    PricesReadModule,
    SubscriptionsReadModule,
    UsageModule,
    WalletsReadModule,
  ],
  providers: [RevenueGroupNameFinder, MonthCloser, RevenueReports],
  controllers: [RevenueController],
})
export class RevenueApiModule {}
