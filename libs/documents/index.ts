export { DocumentsModule } from './documents.module.js';
export { E_INVOICE_FORMATS, type EInvoiceFormat } from './e-invoice/e-invoice-writer.js';
export { hostedInvoice, type HostedPayment } from './hosted-invoice.js';
export { InvoiceDocuments, pdfFileName } from './invoice-documents.js';
export { messagePage } from './templates/message-page.js';
export type { Page } from './templates/page.js';
