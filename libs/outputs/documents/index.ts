export { DocumentsModule } from './documents.module.js';
export { E_INVOICE_FORMATS, type EInvoiceFormat } from './e-invoice/e-invoice-writer.js';
export { HOSTED_TEST_CARDS, makeHostedInvoicePage, type HostedPayment } from './hosted-invoice.js';
export {
  creditNoteFileName,
  InvoiceDocuments,
  invoiceFileName,
  receiptFileName,
} from './invoice-documents.js';
export { PrintingCheck } from './pdf/printing-check.js';
export { timeFormatter } from './invoice/formatters.js';
export { tierText } from './invoice/tier-text.js';
export { hasReceipt } from './invoice/receipt-view.js';
export { makeHostedInvoiceErrorPage } from './hosted-error.js';
export { definePage, type WebPage } from './templates/web-page.js';
export { cardText } from './invoice/card-text.js';
export { declineText } from './invoice/decline-text.js';
export { localeOf, type DocumentLocale } from './invoice/document-locale.js';
export { brandCss, buttonColors } from './templates/brand.js';
