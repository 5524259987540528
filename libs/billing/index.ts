export { BillingModule } from './billing.module.js';
export { BillingProcess } from './billing.process.js';
export { InvoiceUsage } from './commands/invoice-usage.js';
export { RunBilling } from './commands/run-billing.js';
export { UpdateSubscription } from './commands/update-subscription.js';
export type { BillingFailure, BillingRun, BillingRunEvent } from './runs/events.js';
export { presentRun, RUN_STATUSES, type RunInvoice, type RunReport } from './runs/present.js';
export { UpcomingInvoices, type UpcomingInvoice } from './upcoming-invoices.js';
