import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import type { AuditTrailRules } from '#libs/manifest';
import type { InvoiceEvent } from './events.js';
import type { BillingSettingsEvent } from './settings/events.js';

const about = ['customerId', 'currency'] as const;
const total = { total: jsonNumber };
const jsonNumberOrAbsent = (amount: DecimalString | undefined) =>
  amount === undefined ? undefined : jsonNumber(amount);

export const auditTrailRules: AuditTrailRules<InvoiceEvent | BillingSettingsEvent> = {
  InvoiceCreated: {
    action: 'invoice.created',
    id: 'invoiceId',
    show: [...about, 'subscriptionId', 'kind', 'periodStart', 'periodEnd'],
    showAs: total,
  },
  DraftRecomputed: { action: 'invoice.recomputed', id: 'invoiceId', show: [...about], showAs: total },
  InvoiceOpened: {
    action: 'invoice.opened',
    id: 'invoiceId',
    show: [...about, 'number', 'dueDate'],
    showAs: total,
  },
  PaymentStarted: {
    action: 'invoice.payment_started',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'attempt', 'retry'],
    showAs: { amount: jsonNumber },
  },
  PaymentActionRequired: {
    action: 'invoice.payment_action_required',
    id: 'invoiceId',
    show: [...about, 'attemptId'],
    showAs: total,
  },
  PaymentConfirmed: {
    action: 'invoice.payment_confirmed',
    id: 'invoiceId',
    show: [...about, 'attemptId'],
    showAs: total,
  },
  PaymentSucceeded: {
    action: 'invoice.payment_succeeded',
    id: 'invoiceId',
    show: [...about, 'attemptId'],
    showAs: { amount: jsonNumber },
  },
  PaymentFailed: {
    action: 'invoice.payment_failed',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'attempt', 'code', 'retries'],
    showAs: total,
  },
  PaymentRetrySkipped: {
    action: 'invoice.payment_retry_skipped',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'retries'],
    showAs: total,
  },
  PaymentRetriesEnded: {
    action: 'invoice.payment_retries_ended',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'reason', 'subscription'],
    showAs: total,
  },
  PaymentRecorded: {
    action: 'invoice.payment_recorded',
    id: 'invoiceId',
    show: [...about, 'paymentId', 'method', 'paidAt', 'carried'],
    showAs: { amount: jsonNumber, toBalance: jsonNumberOrAbsent },
  },
  RecordedPaymentReversed: {
    action: 'invoice.payment_reversed',
    id: 'invoiceId',
    show: [...about, 'paymentId', 'method'],
    showAs: { amount: jsonNumber, toBalance: jsonNumberOrAbsent },
  },
  BalancePaymentStarted: {
    action: 'invoice.balance_payment_started',
    id: 'invoiceId',
    show: [...about, 'paymentId', 'carried'],
    showAs: { amount: jsonNumber },
  },
  BalancePaymentFailed: {
    action: 'invoice.balance_payment_failed',
    id: 'invoiceId',
    show: [...about, 'paymentId'],
    showAs: { amount: jsonNumber },
  },
  InvoicePaid: { action: 'invoice.paid', id: 'invoiceId', show: [...about, 'attemptId'], showAs: total },
  CreditNoteIssued: {
    action: 'invoice.credited',
    id: 'invoiceId',
    show: [...about],
    showAs: {
      note: ({ creditNoteId, reason, total: over, unpaid, toBalance, refunded }) => ({
        creditNoteId,
        reason,
        total: jsonNumber(over),
        unpaidAmount: jsonNumber(unpaid),
        balanceAmount: jsonNumber(toBalance),
        refundAmount: jsonNumber(refunded),
      }),
    },
  },
  CreditNoteNumbered: {
    action: 'credit_note.numbered',
    id: 'creditNoteId',
    show: ['customerId', 'invoiceId', 'number'],
  },
  CreditNoteRefunded: {
    action: 'credit_note.refunded',
    id: 'creditNoteId',
    show: [...about, 'invoiceId'],
    showAs: { amount: jsonNumber },
  },
  CreditNoteRefundRefused: {
    action: 'credit_note.refund_refused',
    id: 'creditNoteId',
    show: [...about, 'invoiceId', 'message'],
    showAs: { amount: jsonNumber },
  },
  CreditNoteRefundFailed: {
    action: 'credit_note.refund_failed',
    id: 'creditNoteId',
    show: [...about, 'invoiceId', 'refundId', 'message'],
    showAs: { amount: jsonNumber },
  },
  CreditNoteVoided: {
    action: 'credit_note.voided',
    id: 'creditNoteId',
    show: [...about, 'invoiceId', 'number'],
    showAs: { amount: jsonNumber },
  },
  InvoiceLinesGivenBack: {
    action: 'invoice.given_back',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId'],
    showAs: {
      lines: (lines) => lines.map(({ lineId, amount }) => ({ lineId, amount: jsonNumber(amount) })),
    },
  },
  InvoiceGiveBackReturned: {
    action: 'invoice.give_back_returned',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId'],
  },
  PaymentRefundStarted: {
    action: 'invoice.refund_started',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId'],
    showAs: { amount: jsonNumber },
  },
  PaymentRefunded: {
    action: 'invoice.refunded',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId'],
    showAs: { amount: jsonNumber },
  },
  PaymentRefundRefused: {
    action: 'invoice.refund_refused',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId', 'message'],
    showAs: { amount: jsonNumber },
  },
  PaymentRefundFailed: {
    action: 'invoice.refund_failed',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId', 'refundId', 'message'],
    showAs: { amount: jsonNumber },
  },
  InvoiceReduced: {
    action: 'invoice.reduced',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId'],
    showAs: { amount: jsonNumber },
  },
  PaymentDisputed: {
    action: 'invoice.payment_disputed',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'disputeId', 'reason', 'status'],
    showAs: { amount: jsonNumber },
  },
  PaymentDisputeClosed: {
    action: 'invoice.payment_dispute_closed',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'disputeId', 'reason', 'status'],
    showAs: { amount: jsonNumber },
  },
  GatewayRefundFound: {
    action: 'invoice.gateway_refund_found',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'refundId'],
    showAs: { amount: jsonNumber, excess: jsonNumberOrAbsent },
  },
  ReturnedMoneyTakenBack: {
    action: 'invoice.returned_money_taken_back',
    id: 'invoiceId',
    show: [...about, 'returnId', 'cause', 'refundFailed'],
    showAs: { amount: jsonNumber },
  },
  GatewayRefundFailed: {
    action: 'invoice.gateway_refund_failed',
    id: 'invoiceId',
    show: [...about, 'attemptId', 'refundId', 'message', 'unneeded'],
    showAs: { amount: jsonNumber },
  },
  InvoiceMarkedUncollectible: {
    action: 'invoice.marked_uncollectible',
    id: 'invoiceId',
    show: [...about],
    showAs: { amount: jsonNumber },
  },
  InvoiceVoided: { action: 'invoice.voided', id: 'invoiceId', show: [...about, 'number'], showAs: total },
  BillingSettingsChanged: {
    action: 'billing_settings.changed',
    id: 'workspaceId',
    changes: true,
    show: [
      'autoApprove',
      'autoCollect',
      'gracePeriodHours',
      'skipZeroInvoices',
      'entitledWhilePastDue',
      'netDays',
      'prorationBasis',
      'invoiceNumberPrefix',
      'invoiceNumberFormat',
      'creditNoteNumberPrefix',
      'language',
      'printZeroLines',
      'carrySmallAmounts',
      'qrBillLanguage',
      'paperSize',
      'brandColor',
      'invoiceGrouping',
      'balancePaysOpenInvoices',
      'defaultTaxRateIds',
      'customerEmails',
      'emailSenderName',
      'emailReplyTo',
      'sandboxEmailAllowlist',
      'eInvoicing',
      'timezone',
    ],
  },
};
