export { billedInvoicesProjection } from './billed-invoices.projection.js';
export { BillingReadModule } from './billing-read.module.js';
export { BillingRunQueries } from './billing-run-queries.js';
export { billingRunsProjection } from './billing-runs.projection.js';
