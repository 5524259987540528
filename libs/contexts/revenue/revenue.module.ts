import { Module } from '@nestjs/common';
import { BillingModule } from '#libs/contexts/billing';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { RevenueAccruals } from './accruals/revenue-accruals.js';
import { UnbilledRevenueMeter } from './accruals/unbilled-revenue.js';
import { ClosedMonths } from './closing/closed-months.js';
import { RevenueProcess } from './revenue.process.js';

@Module({
  imports: [BillingModule, InvoicingModule, SubscriptionsModule],
  providers: [ClosedMonths, RevenueAccruals, RevenueProcess, UnbilledRevenueMeter],
  exports: [ClosedMonths, RevenueAccruals, RevenueProcess],
})
export class RevenueModule {}
