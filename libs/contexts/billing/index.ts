export { Amendments, type AmendmentRequest, type AmendmentResult } from './previews/amendments.js';
export type { InvoicePreview } from './previews/bill-previews.js';
export { BillingTerms } from './price/billing-terms.js';
export { BillMeasurer } from './measure/bill-measurer.js';
export { BillPricer } from './price/bill-pricer.js';
export { BillingCycles } from './advance/billing-cycles.js';
export { BillingModule } from './billing.module.js';
export { BillingProcess } from './billing.process.js';
export { amendmentIdOf, AmendSubscription } from './changes/amend-subscription.js';
export { InvoiceItems } from './manual/invoice-items.js';
export { InvoiceUsage } from './interim/invoice-usage.js';
export {
  CustomerSubscriptions,
  CustomerSubscriptionsModule,
} from './consolidation/customer-subscriptions.js';
export type { ConsolidationEvent } from './consolidation/events.js';
export { couponTerms } from './price/coupon-terms.js';
export { ITEM_LIMITS } from './manual/read-items.js';
export { LateUsages } from './billed/late-usage.js';
export { PlannedPriceChanges } from './decide/planned-price-changes.js';
export { pricedFees } from './price/priced-bills.js';
export { InvoicedUsages } from './billed/invoiced-usages.js';
export { ThresholdTriggers } from './progressive/threshold-triggers.js';
export { IssuedInvoices } from './recompute/issued-invoices.js';
export { DecidedBills } from './decide/decided-bills.js';
export { RemainingFees } from './billed/remaining-fees.js';
export { RunBilling } from './runs/run-billing.js';
export { UpdateSubscription } from './changes/update-subscription.js';
export type { BillingFailure, BillingRun, BillingRunEvent } from './runs/events.js';
export { presentRun, RUN_STATUSES, type RunInvoice, type RunReport } from './runs/present.js';
export { presentUpcoming } from './previews/present-upcoming.js';
export { UpcomingInvoices } from './previews/upcoming-invoices.js';
