export { CollectionModule } from './collection.module.js';
export { ConfirmPayment } from './commands/confirm-payment.js';
export { PayInvoice } from './commands/pay-invoice.js';
export { InvoicePayments, requirePaid, type PaymentResult } from './invoice-payments.js';
