export { CollectionModule } from './collection.module.js';
export { ConfirmPayment } from './commands/confirm-payment.js';
export { PayInvoice } from './commands/pay-invoice.js';
export { Payments, requirePaid, type PaymentResult } from './payments.js';
