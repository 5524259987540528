export {
  AmendmentPreviewer,
  type AmendmentRequest,
  type AmendmentResult,
} from './previews/amendment-previewer.js';
export type { InvoicePreview } from './previews/bill-previewer.js';
export { BillingTermsFinder } from './price/billing-terms-finder.js';
export { BillMeasurer } from './measure/bill-measurer.js';
export { BillPricer } from './price/bill-pricer.js';
export { DueChangeApplier } from './advance/due-change-applier.js';
export { BillingModule } from './billing.module.js';
export { BillingProcess } from './billing.process.js';
export { amendmentIdOf, AmendSubscription } from './changes/amend-subscription.js';
export { CreateManualInvoice } from './manual/invoice-items.js';
export { CreateUsageInvoice } from './interim/invoice-usage.js';
export { CustomerSubscriptionFinder } from './consolidation/customer-subscription-finder.js';
export type { ConsolidationEvent } from './consolidation/events.js';
export { applicableCoupons, couponInvoiceOf } from './price/applicable-coupons.js';
export { composeInvoice } from './invoice/new-invoice.js';
export { priceItems } from './invoice/priced-items.js';
export { ITEM_LIMITS } from './manual/read-items.js';
export { LateUsageFinder } from './earlier-invoices/late-usage-finder.js';
export { PlannedMigrationFinder } from './decide/planned-migration-finder.js';
export { OverageInvoicer, unbilledOverageInvoiceId } from './invoice/overage-invoicer.js';
export { priceFees } from './price/priced-bills.js';
export { InvoicedUsageFinder } from './earlier-invoices/invoiced-usage-finder.js';
export { ThresholdTaskScheduler } from './progressive/threshold-task-scheduler.js';
export { IssuedInvoiceAuditor } from './recompute/issued-invoice-auditor.js';
export { DecidedBills } from './decide/decided-bills.js';
export { RemainingFeeFinder } from './earlier-invoices/remaining-fee-finder.js';
export { billingRunIdOf, RunBilling } from './runs/run-billing.js';
export { ChangeSubscriptionDetails } from './changes/change-subscription-details.js';
export { UpdateSubscription } from './changes/update-subscription.js';
export type { BillingFailure, BillingRun, BillingRunEvent } from './runs/events.js';
export {
  presentBillingRun,
  BILLING_RUN_STATUSES,
  type BillingRunInvoice,
  type BillingRunReport,
} from './runs/present.js';
export { presentInvoicePreview } from './previews/present-upcoming.js';
export { UpcomingInvoicePreviewer } from './previews/upcoming-invoice-previewer.js';
