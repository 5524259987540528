export { Amendments, type AmendmentRequest, type AmendmentResult } from './amendments.js';
export type { InvoiceToCome } from './bill-previews.js';
export { BillingTerms } from './billing-terms.js';
export { BillMeasuring } from './bill-measuring.js';
export { BillPricing } from './bill-pricing.js';
export { BillingCycles } from './billing-cycles.js';
export { BillingModule } from './billing.module.js';
export { BillingProcess } from './billing.process.js';
export { amendmentIdOf, AmendSubscription } from './commands/amend-subscription.js';
export { InvoiceItems } from './commands/invoice-items.js';
export { InvoiceUsage } from './commands/invoice-usage.js';
export {
  CustomerSubscriptions,
  CustomerSubscriptionsModule,
} from './consolidation/customer-subscriptions.js';
export type { ConsolidationEvent } from './consolidation/events.js';
export { couponTerms } from './coupon-terms.js';
export { MAX_ITEMS } from './items/read-items.js';
export { LateUsages } from './late-usage.js';
export { PlannedPriceChanges } from './planned-price-changes.js';
export { pricedFees } from './priced-bills.js';
export { InvoicedUsages } from './progressive/invoiced-usages.js';
export { ThresholdTriggers } from './progressive/threshold-triggers.js';
export { IssuedInvoices } from './issued-invoices.js';
export { DecidedBills } from './decided-bills.js';
export { FeesLeft } from './fees-left.js';
export { RunBilling } from './commands/run-billing.js';
export { UpdateSubscription } from './commands/update-subscription.js';
export { concurrently } from './runs/concurrently.js';
export type { BillingFailure, BillingRun, BillingRunEvent } from './runs/events.js';
export { presentRun, RUN_STATUSES, type RunInvoice, type RunReport } from './runs/present.js';
export { UpcomingInvoices } from './upcoming-invoices.js';
