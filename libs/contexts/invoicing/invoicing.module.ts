import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { BalancesModule } from '#libs/contexts/balances';
import { CustomersModule } from '#libs/contexts/customers';
import { ProvedAdminsModule, WorkspaceNamesModule } from '#libs/contexts/identity';
import { PaymentsModule } from '#libs/contexts/payments';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { TaxesModule } from '#libs/contexts/taxes';
import { CustomerBalanceProcess } from './customer-balance.process.js';
import { CreateInvoiceHandler } from './commands/create-invoice.js';
import { MarkUncollectibleHandler } from './commands/mark-uncollectible.js';
import { OpenInvoiceHandler } from './commands/open-invoice.js';
import { VoidInvoiceHandler } from './commands/void-invoice.js';
import { IssueCreditNoteHandler } from './credit-notes/commands/issue-credit-note.js';
import { VoidCreditNoteHandler } from './credit-notes/commands/void-credit-note.js';
import { CreditNoteCompleter } from './credit-notes/credit-note-completer.js';
import { CreditNotePreviewer } from './credit-notes/credit-note-previewer.js';
import { GiveBackRecorder } from './give-backs/give-back-recorder.js';
import { ExcessSettler } from './give-backs/excess-settler.js';
import { RefundSender } from './refund-sender.js';
import { InvoiceLinkTokens } from './invoice-link-tokens.js';
import { InvoiceLookup } from './invoice-lookup.js';
import { InvoiceNumbers } from './document-number-sequences.js';
import { Invoices } from './invoices.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';
import { InvoicingProcess } from './invoicing.process.js';
import { BalancePaymentCompleter } from './recorded-payments/balance-payment-completer.js';
import { CarryForwardHandler } from './recorded-payments/commands/carry-forward.js';
import { PayFromBalanceHandler } from './recorded-payments/commands/pay-from-balance.js';
import { RecordPaymentHandler } from './recorded-payments/commands/record-payment.js';
import { DraftOpener } from './draft-opener.js';
import { ReversePaymentHandler } from './recorded-payments/commands/reverse-payment.js';
import { VoidedInvoiceNotifier } from './voided-invoice-notifier.js';
import { ChangeBillingSettingsHandler } from './settings/commands/change-billing-settings.js';
import { CurrentBillingSettings } from './settings/current-billing-settings.js';

@Module({
  imports: [
    CqrsModule,
    ApprovalsModule,
    BalancesModule,
    CustomersModule,
    PaymentsModule,
    SubscriptionsModule,
    TaxesModule,
    ProvedAdminsModule,
    WorkspaceNamesModule,
  ],
  providers: [
    CreateInvoiceHandler,
    OpenInvoiceHandler,
    MarkUncollectibleHandler,
    VoidInvoiceHandler,
    ChangeBillingSettingsHandler,
    CurrentBillingSettings,
    GiveBackRecorder,
    ExcessSettler,
    RefundSender,
    Invoices,
    InvoiceLookup,
    InvoiceNumbers,
    CreditNoteCompleter,
    CreditNotePreviewer,
    IssueCreditNoteHandler,
    VoidCreditNoteHandler,
    BalancePaymentCompleter,
    CarryForwardHandler,
    PayFromBalanceHandler,
    RecordPaymentHandler,
    ReversePaymentHandler,
    InvoiceLinkTokens,
    InvoiceFinalizer,
    DraftOpener,
    VoidedInvoiceNotifier,
    CustomerBalanceProcess,
    InvoicingProcess,
  ],
  exports: [
    CreditNotePreviewer,
    CurrentBillingSettings,
    GiveBackRecorder,
    Invoices,
    InvoiceLinkTokens,
    InvoiceLookup,
    InvoiceFinalizer,
    DraftOpener,
    VoidedInvoiceNotifier,
    CustomerBalanceProcess,
    InvoicingProcess,
  ],
})
export class InvoicingModule {}
