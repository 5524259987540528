import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { BalancesModule } from '#libs/contexts/balances';
import { CustomersModule } from '#libs/contexts/customers';
import { InvoicingModule } from '#libs/contexts/invoicing';
import { PaymentsModule } from '#libs/contexts/payments';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { AddedMethodPayer } from './added-method-payer.js';
import { CollectionProcess } from './collection.process.js';
import { CompletePaymentHandler } from './commands/complete-payment.js';
import { ConfirmPaymentHandler } from './commands/confirm-payment.js';
import { PayInvoiceHandler } from './commands/pay-invoice.js';
import { PaymentRetrier } from './payment-retrier.js';
import { ChangePaymentRetrySettingsHandler } from './settings/commands/change-payment-retry-settings.js';
import { CurrentPaymentRetrySettings } from './settings/current-payment-retry-settings.js';
import { GatewayNoticeRecorder } from './gateway-notice-recorder.js';
import { SandboxReports } from './sandbox-reports.js';
import { SmallAmountCarrier } from './small-amount-carrier.js';
import { OpenInvoiceSettler } from './open-invoice-settler.js';
import { OverdueInvoiceRecorder } from './overdue-invoice-recorder.js';
import { InvoicePayments } from './invoice-payments.js';

@Module({
  imports: [
    CqrsModule,
    ApprovalsModule,
    BalancesModule,
    CustomersModule,
    InvoicingModule,
    PaymentsModule,
    SubscriptionsModule,
  ],
  providers: [
    PayInvoiceHandler,
    ConfirmPaymentHandler,
    CompletePaymentHandler,
    ChangePaymentRetrySettingsHandler,
    CurrentPaymentRetrySettings,
    GatewayNoticeRecorder,
    OpenInvoiceSettler,
    OverdueInvoiceRecorder,
    PaymentRetrier,
    SandboxReports,
    SmallAmountCarrier,
    InvoicePayments,
    AddedMethodPayer,
    CollectionProcess,
  ],
  exports: [
    AddedMethodPayer,
    GatewayNoticeRecorder,
    InvoicePayments,
    OpenInvoiceSettler,
    PaymentRetrier,
    SandboxReports,
    CollectionProcess,
    CurrentPaymentRetrySettings,
  ],
})
export class CollectionModule {}
