import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { CollectionProcess } from './collection.process.js';
import { CompletePaymentHandler } from './commands/complete-payment.js';
import { ConfirmPaymentHandler } from './commands/confirm-payment.js';
import { PayInvoiceHandler } from './commands/pay-invoice.js';
import { OverduePayments } from './overdue-payments.js';
import { Payments } from './payments.js';

@Module({
  imports: [CqrsModule, CustomersModule, InvoicingModule, PaymentsModule, SubscriptionsModule],
  providers: [
    PayInvoiceHandler,
    ConfirmPaymentHandler,
    CompletePaymentHandler,
    OverduePayments,
    Payments,
    CollectionProcess,
  ],
  exports: [Payments, CollectionProcess],
})
export class CollectionModule {}
