export { PaymentQueries, type PaymentFilter } from './payment-queries.js';
export { PAYMENT_STATUSES, type PaymentRow, type PaymentStatus } from './payment-row.js';
export { PaymentsReadModule } from './payments-read.module.js';
