import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { BalancesModule } from '#libs/contexts/balances';
import { CatalogModule } from '#libs/contexts/catalog';
import { CouponsModule } from '#libs/contexts/coupons';
import { CreditsModule } from '#libs/contexts/credits';
import { CustomersModule } from '#libs/contexts/customers';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { LicensesModule } from '#libs/contexts/licenses';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { TaxesModule } from '#libs/contexts/taxes';
import { UsageModule } from '#libs/usage';
import { AmendmentPreviewer } from './previews/amendment-previewer.js';
import { BillInvoicer } from './invoice/bill-invoicer.js';
import { BillMeasurer } from './measure/bill-measurer.js';
import { BillPreviewer } from './previews/bill-previewer.js';
import { BillPricer } from './price/bill-pricer.js';
import { BillingTermsFinder } from './price/billing-terms-finder.js';
import { DueChangeApplier } from './advance/due-change-applier.js';
import { LicensedSubscriptionFinder } from './advance/licensed-subscription-finder.js';
import { BillingProcess } from './billing.process.js';
import { AmendSubscriptionHandler } from './changes/amend-subscription.js';
import { CreateManualInvoiceHandler } from './manual/invoice-items.js';
import { CreateUsageInvoiceHandler } from './interim/invoice-usage.js';
import { RecomputeDraftHandler } from './recompute/recompute-draft.js';
import { RunBillingHandler } from './runs/run-billing.js';
import { ChangeSubscriptionDetailsHandler } from './changes/change-subscription-details.js';
import { UpdateSubscriptionHandler } from './changes/update-subscription.js';
import { Consolidations } from './consolidation/consolidations.js';
import { OverageInvoicer } from './invoice/overage-invoicer.js';
import { ManualInvoiceCouponReserver } from './manual/manual-invoice-coupon-reserver.js';
import { InvoiceIssuer } from './invoice/invoice-issuer.js';
import { CouponReserver } from './invoice/coupon-reserver.js';
import { CreditUsageInvoicer } from './measure/credit-usage-invoicer.js';
import { DecidedBills } from './decide/decided-bills.js';
import { LicenseCounter } from './decide/license-counter.js';
import { TrialUsageRecorder } from './decide/trial-usage-recorder.js';
import { SubscriptionAdvancer } from './decide/subscription-advancer.js';
import { LateUsageFinder } from './earlier-invoices/late-usage-finder.js';
import { IssuedInvoiceAuditor } from './recompute/issued-invoice-auditor.js';
import { InvoicedUsageFinder } from './earlier-invoices/invoiced-usage-finder.js';
import { ProgressiveInvoicer } from './progressive/progressive-invoicer.js';
import { ThresholdTaskScheduler } from './progressive/threshold-task-scheduler.js';
import { RemainingFeeFinder } from './earlier-invoices/remaining-fee-finder.js';
import { UpcomingInvoicePreviewer } from './previews/upcoming-invoice-previewer.js';

/** Turns the bills of subscriptions into invoices: on a schedule, on request, and when a subscription ends. */
@Module({
  imports: [
    CqrsModule,
    ApprovalsModule,
    BalancesModule,
    CatalogModule,
    CreditsModule,
    CustomersModule,
    InvoicingModule,
    LicensesModule,
    SubscriptionsModule,
    CouponsModule,
    TaxesModule,
    UsageModule,
  ],
  providers: [
    BillingTermsFinder,
    InvoiceIssuer,
    CouponReserver,
    ManualInvoiceCouponReserver,
    IssuedInvoiceAuditor,
    LateUsageFinder,
    InvoicedUsageFinder,
    BillMeasurer,
    CreditUsageInvoicer,
    OverageInvoicer,
    BillPricer,
    BillPreviewer,
    Consolidations,
    DecidedBills,
    LicenseCounter,
    SubscriptionAdvancer,
    TrialUsageRecorder,
    BillInvoicer,
    AmendmentPreviewer,
    DueChangeApplier,
    LicensedSubscriptionFinder,
    BillingProcess,
    ProgressiveInvoicer,
    ThresholdTaskScheduler,
    RemainingFeeFinder,
    UpcomingInvoicePreviewer,
    AmendSubscriptionHandler,
    CreateManualInvoiceHandler,
    CreateUsageInvoiceHandler,
    RecomputeDraftHandler,
    RunBillingHandler,
    ChangeSubscriptionDetailsHandler,
    UpdateSubscriptionHandler,
  ],
  exports: [
    BillPricer,
    AmendmentPreviewer,
    BillingTermsFinder,
    DueChangeApplier,
    BillingProcess,
    ThresholdTaskScheduler,
    OverageInvoicer,
    UpcomingInvoicePreviewer,
  ],
})
export class BillingModule {}
