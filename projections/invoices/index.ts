export { InvoiceQueries, type InvoiceDocuments, type InvoiceFilter } from './invoice-queries.js';
export { PaymentRetryQueries, type PaymentRetryTotal } from './payment-retry-queries.js';
export { ReceivablesQueries, type ReceivableTotal } from './receivables-queries.js';
export type { InvoiceRow } from './invoice-row.js';
export { InvoicesReadModule } from './invoices-read.module.js';
export { invoicesProjection } from './invoices.projection.js';
export { TaxReportQueries, type TaxReportRequest, type TaxTotal } from './tax-report-queries.js';
