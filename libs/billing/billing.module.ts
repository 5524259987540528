import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BalancesModule } from '#libs/balances';
import { CatalogModule } from '#libs/catalog';
import { CouponsModule } from '#libs/coupons';
import { CustomersModule } from '#libs/customers';
import { InvoicingModule } from '#libs/invoicing';
import { SubscriptionsModule } from '#libs/subscriptions';
import { TaxesModule } from '#libs/taxes';
import { UsageModule } from '#libs/usage';
import { Amendments } from './amendments.js';
import { BillIssuing } from './bill-issuing.js';
import { BillMeasuring } from './bill-measuring.js';
import { BillPreviews } from './bill-previews.js';
import { BillPricing } from './bill-pricing.js';
import { BillingTerms } from './billing-terms.js';
import { BillingCycles } from './billing-cycles.js';
import { BillingProcess } from './billing.process.js';
import { AmendSubscriptionHandler } from './commands/amend-subscription.js';
import { InvoiceItemsHandler } from './commands/invoice-items.js';
import { InvoiceUsageHandler } from './commands/invoice-usage.js';
import { RecomputeDraftHandler } from './commands/recompute-draft.js';
import { RunBillingHandler } from './commands/run-billing.js';
import { UpdateSubscriptionHandler } from './commands/update-subscription.js';
import { Consolidations } from './consolidation/consolidations.js';
import { ItemCoupons } from './items/item-coupons.js';
import { CouponUses } from './coupon-uses.js';
import { DecidedBills } from './decided-bills.js';
import { DuePassing } from './due-passing.js';
import { LateUsages } from './late-usage.js';
import { IssuedInvoices } from './issued-invoices.js';
import { OverduePayments } from './overdue-payments.js';
import { InvoicedUsages } from './progressive/invoiced-usages.js';
import { ProgressiveBilling } from './progressive/progressive-billing.js';
import { ThresholdTriggers } from './progressive/threshold-triggers.js';
import { FeesLeft } from './fees-left.js';
import { UpcomingInvoices } from './upcoming-invoices.js';

/** Turns what subscriptions owe into invoices: on a schedule, when asked, and at their end. */
@Module({
  imports: [
    CqrsModule,
    BalancesModule,
    CatalogModule,
    CustomersModule,
    InvoicingModule,
    SubscriptionsModule,
    CouponsModule,
    TaxesModule,
    UsageModule,
  ],
  providers: [
    BillingTerms,
    CouponUses,
    ItemCoupons,
    IssuedInvoices,
    LateUsages,
    InvoicedUsages,
    BillMeasuring,
    BillPricing,
    BillPreviews,
    Consolidations,
    DecidedBills,
    DuePassing,
    BillIssuing,
    Amendments,
    BillingCycles,
    BillingProcess,
    OverduePayments,
    ProgressiveBilling,
    ThresholdTriggers,
    FeesLeft,
    UpcomingInvoices,
    AmendSubscriptionHandler,
    InvoiceItemsHandler,
    InvoiceUsageHandler,
    RecomputeDraftHandler,
    RunBillingHandler,
    UpdateSubscriptionHandler,
  ],
  exports: [Amendments, BillingCycles, BillingProcess, ThresholdTriggers, UpcomingInvoices],
})
export class BillingModule {}
