export {
  AmendmentPreviews,
  type AmendmentRequest,
  type AmendmentResult,
} from './previews/amendment-previews.js';
export type { InvoicePreview } from './previews/bill-previews.js';
export { BillingTermsFinder } from './price/billing-terms-finder.js';
export { BillMeasurer } from './measure/bill-measurer.js';
export { BillPricer } from './price/bill-pricer.js';
export { BillingCycles } from './advance/billing-cycles.js';
export { BillingModule } from './billing.module.js';
export { BillingProcess } from './billing.process.js';
export { amendmentIdOf, AmendSubscription } from './changes/amend-subscription.js';
export { CreateManualInvoice } from './manual/invoice-items.js';
export { CreateUsageInvoice } from './interim/invoice-usage.js';
export { CustomerSubscriptions } from './consolidation/customer-subscriptions.js';
export type { ConsolidationEvent } from './consolidation/events.js';
export { applicableCoupons } from './price/applicable-coupons.js';
export { composeInvoice } from './invoice/new-invoice.js';
export { priceItems } from './invoice/priced-items.js';
export { ITEM_LIMITS } from './manual/read-items.js';
export { LateUsageFinder } from './earlier-invoices/late-usage-finder.js';
export { PlannedMigrations } from './decide/planned-migrations.js';
export { OverageInvoicer, unbilledOverageInvoiceId } from './invoice/overage-invoicer.js';
export { priceFees } from './price/priced-bills.js';
export { InvoicedUsageFinder } from './earlier-invoices/invoiced-usage-finder.js';
export { ThresholdTriggers } from './progressive/threshold-triggers.js';
export { IssuedInvoiceAudit } from './recompute/issued-invoice-audit.js';
export { DecidedBills } from './decide/decided-bills.js';
export { RemainingFeeFinder } from './earlier-invoices/remaining-fee-finder.js';
export { RunBilling } from './runs/run-billing.js';
export { UpdateSubscription } from './changes/update-subscription.js';
export type { BillingFailure, BillingRun, BillingRunEvent } from './runs/events.js';
export {
  presentBillingRun,
  BILLING_RUN_STATUSES,
  type BillingRunInvoice,
  type BillingRunReport,
} from './runs/present.js';
export { presentInvoicePreview } from './previews/present-upcoming.js';
export { UpcomingInvoices } from './previews/upcoming-invoices.js';
