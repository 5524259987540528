import { Module } from '@nestjs/common';
import { BillingModule } from '#libs/contexts/billing';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { SETTINGS } from '#libs/kernel/app';
import { requireSetting, type Settings } from '#libs/kernel/system';
import { MonthAccruer } from './accruals/month-accruer.js';
import { OverageAccruals } from './accruals/overage-accruals.js';
import { RevenueAccruals } from './accruals/revenue-accruals.js';
import { PendingMonthReader } from './accruals/pending-month-reader.js';
import { UnbilledOverageMeter } from './accruals/unbilled-overage.js';
import { UnbilledRevenueMeter } from './accruals/unbilled-revenue.js';
import { ClosedMonths } from './closing/closed-months.js';
import { MonthLock } from './closing/month-lock.js';
import { RevenueProcess } from './revenue.process.js';

@Module({
  imports: [BillingModule, InvoicingModule, SubscriptionsModule],
  providers: [
    ClosedMonths,
    MonthAccruer,
    {
      provide: MonthLock,
      useFactory: (settings: Settings) => new MonthLock(requireSetting(settings, 'databaseUrl')),
      inject: [SETTINGS],
    },
    OverageAccruals,
    PendingMonthReader,
    RevenueAccruals,
    RevenueProcess,
    UnbilledOverageMeter,
    UnbilledRevenueMeter,
  ],
  exports: [ClosedMonths, MonthLock, OverageAccruals, PendingMonthReader, RevenueAccruals, RevenueProcess],
})
export class RevenueModule {}
