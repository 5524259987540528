export { CreateInvoice, type NewInvoice } from './commands/create-invoice.js';
export { MarkUncollectible } from './commands/mark-uncollectible.js';
export { OpenInvoice } from './commands/open-invoice.js';
export { DraftOpener } from './draft-opener.js';
export { RecomputeDraft } from './commands/recompute-draft.js';
export { VoidInvoice } from './commands/void-invoice.js';
export { IssueCreditNote, type CreditNoteWithInvoice } from './credit-notes/commands/issue-credit-note.js';
export { VoidCreditNote } from './credit-notes/commands/void-credit-note.js';
export {
  CREDIT_NOTE_REASONS,
  CREDIT_NOTE_STATUSES,
  REFUND_STATUSES,
  CREDIT_NOTE_TARGETS,
  creditNoteStatusOf,
  notVoidedCreditNotes,
  requireCreditNote,
  type CreditNote,
  type CreditNoteDetails,
  type CreditNoteReason,
  type CreditNoteStatus,
  type CreditNoteTarget,
} from './credit-notes/credit-note.js';
export { CreditNotePreviewer } from './credit-notes/credit-note-previewer.js';
export {
  disputedMoney,
  lostInDisputes,
  refundedAtGateway,
  taxesReturnedAtGateway,
} from './gateway-returns.js';
export { toCreditableInvoice } from './credit-notes/creditable-invoice.js';
export { presentCreditNote } from './credit-notes/present.js';
export {
  INVOICE_KINDS,
  type ChargeInputs,
  type ChargedPaymentMethod,
  type CreditsUsed,
  type InvoiceDetails,
  type InvoiceDiscount,
  type InvoiceEvent,
  type InvoiceKind,
  type InvoicePart,
  type InvoiceReference,
  type LateUsageReading,
  type LateUsageSearchProgress,
  type InvoiceOpening,
  type UsageReading,
} from './events.js';
export {
  PAYMENT_REFUND_STATUSES,
  paymentRefundId,
  sourceInvoiceIds,
  type GiveBack,
  type PaymentRefund,
} from './give-backs/give-back.js';
export { traceSourceInvoiceIds } from './give-backs/trace-source-invoice-ids.js';
export { GiveBackRecorder } from './give-backs/give-back-recorder.js';
export {
  amountPaid,
  amountToPay,
  attemptRequiringAction,
  isZeroAmount,
  VOIDED_ATTEMPT_CODE,
  amountPaidByCard,
  INVOICE_STATUSES,
  isBeingPaid,
  pendingAttempt,
  optionalInvoiceAmounts,
  omitRecomputedOptionalFields,
  type Invoice,
  type InvoiceStatus,
  type PaymentAttempt,
} from './invoice.js';
export { invoiceDecider } from './decider.js';
export type { InvoiceCommand } from './decisions/invoice-command.js';
export { requirePayable } from './decisions/payment-guards.js';
export {
  NO_RETRIES,
  endOfRetries,
  planRetries,
  retryStateOf,
  plannedRetryAt,
  RETRY_END_REASONS,
  RETRY_STATES,
  UNPAID_SUBSCRIPTION_ACTIONS,
  UNPAID_INVOICE_ACTIONS,
  type InvoiceRetries,
  type RetryEndReason,
  type RetryPlan,
  type RetryRules,
  type RetryState,
  type UnpaidSubscriptionAction,
  type UnpaidInvoiceAction,
} from './payment-retries.js';
export { revenueEarnedBy, type PriceRevenue } from './postings/earned-revenue.js';
export { hostedInvoiceUrl } from './hosted-invoice-url.js';
export { InvoiceLinkTokens } from './invoice-link-tokens.js';
export { InvoiceLookup } from './invoice-lookup.js';
export { subscriptionPartOf, subscriptionPartsOf, subscriptionIdsOf } from './invoice-parts.js';
export { Invoices } from './invoices.js';
export { InvoicingModule } from './invoicing.module.js';
export { InvoiceFinalizer } from './invoice-finalizer.js';
export {
  creditableLines,
  linesCreditableBy,
  type InvoiceWithGiveBacks,
  type CreditableLine,
} from './creditable-lines.js';
export { RECEIVABLE_AGES, type ReceivableAge } from './receivable-ages.js';
export { taxEntriesOf, type TaxEntry } from './tax-entries.js';
export { taxRatesOfLine } from './tax-rates-of-line.js';
export {
  presentInvoice,
  presentInvoiceLine,
  presentPaymentAttempt,
  presentRecordedPayment,
} from './present.js';
export { CarryForward } from './recorded-payments/commands/carry-forward.js';
export { PayFromBalance } from './recorded-payments/commands/pay-from-balance.js';
export { RecordPayment } from './recorded-payments/commands/record-payment.js';
export { ReversePayment } from './recorded-payments/commands/reverse-payment.js';
export {
  amountAppliedToInvoice,
  succeededPayments,
  RECORDED_PAYMENT_METHODS,
  RECORDED_PAYMENT_STATUSES,
  shownRecordedPayments,
  amountPaidByRecordedPayments,
  type RecordedPayment,
  type RecordedPaymentMethod,
  type RecordedPaymentStatus,
} from './recorded-payments/recorded-payment.js';
export { presentCreditsUsed, presentDiscounts, presentTax } from './present-terms.js';
export {
  BILLING_DEFAULTS,
  DEFAULT_BRAND,
  prorationBasisOf,
  type DocumentBrand,
} from './settings/billing-settings.js';
export {
  CUSTOMER_EMAIL_KINDS,
  INVOICE_GROUPINGS,
  PAPER_SIZES,
  QR_BILL_LANGUAGES,
  type QrBillLanguage,
  PRORATION_UNITS,
  type BillingSettings,
  type BillingSettingsEvent,
  type CustomerEmailKind,
  type InvoiceGrouping,
  type InvoiceSettings,
  type PaperSize,
  type ProrationUnit,
} from './settings/events.js';
export { ChangeBillingSettings } from './settings/commands/change-billing-settings.js';
export { CurrentBillingSettings } from './settings/current-billing-settings.js';
export { MAX_LOGO_BYTES } from './settings/logo/logo.js';
export {
  INVOICE_NUMBER_FORMATS,
  sequenceNumberOf,
  type InvoiceNumberFormat,
} from './settings/document-number.js';
export { isQrIban, isSwissAccount, type BankAccount } from './settings/bank-account.js';
export { E_INVOICING_CHOICES, type EInvoicingChoice, type Seller } from './settings/seller.js';
export { presentBillingSettings } from './settings/present.js';
export { VoidedInvoiceNotifier } from './voided-invoice-notifier.js';
