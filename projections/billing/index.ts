export { BillingReadModule } from './billing-read.module.js';
export { BillingRunQueries } from './billing-run-queries.js';
