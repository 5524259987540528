export { DocumentsModule } from './documents.module.js';
export { E_INVOICE_FORMATS, type EInvoiceFormat } from './e-invoice/e-invoice-writer.js';
export { hostedInvoice, type HostedPayment } from './hosted-invoice.js';
export { creditNoteFileName, InvoiceDocuments, pdfFileName, receiptFileName } from './invoice-documents.js';
export { tierText } from './invoice/tier-text.js';
export { hasReceipt } from './invoice/receipt-view.js';
export { invoiceMessagePage } from './templates/message-page.js';
export { definePage, type WebPage } from './templates/web-page.js';
