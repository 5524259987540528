import { jsonNumber } from '#libs/kernel/core';
import type { BalanceEvent } from '#libs/contexts/balances';
import type { BillingRunEvent, ConsolidationEvent } from '#libs/contexts/billing';
import type { BillingSettingsEvent, InvoiceEvent } from '#libs/contexts/invoicing';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import type { AuditRules } from './rule.js';

export const subscriptionRules: AuditRules<SubscriptionEvent> = {
  SubscriptionCreated: {
    action: 'subscription.created',
    id: 'subscriptionId',
    show: ['customerId', 'planId', 'planVersion', 'currency', 'startedAt'],
  },
  SubscriptionStarted: {
    action: 'subscription.started',
    id: 'subscriptionId',
    show: ['customerId', 'planId', 'planVersion', 'at', 'period'],
  },
  SubscriptionTrialEnded: {
    action: 'subscription.trial_ended',
    id: 'subscriptionId',
    show: ['customerId', 'at', 'period'],
  },
  SubscriptionRenewed: {
    action: 'subscription.renewed',
    id: 'subscriptionId',
    show: ['customerId', 'period'],
  },
  SubscriptionUsageBilled: {
    action: 'subscription.usage_billed',
    id: 'subscriptionId',
    show: ['through'],
    showAs: { bill: ({ kind, invoiceId }) => ({ kind, invoiceId }) },
  },
  SubscriptionPauseScheduled: {
    action: 'subscription.pause_scheduled',
    id: 'subscriptionId',
    show: ['customerId', 'pauseAt', 'resumeAt', 'atPeriodEnd'],
  },
  SubscriptionPauseWithdrawn: {
    action: 'subscription.pause_withdrawn',
    id: 'subscriptionId',
    show: ['customerId'],
  },
  SubscriptionPaused: {
    action: 'subscription.paused',
    id: 'subscriptionId',
    show: ['customerId', 'at', 'resumeAt'],
  },
  SubscriptionResumptionScheduled: {
    action: 'subscription.resumption_scheduled',
    id: 'subscriptionId',
    show: ['customerId', 'resumeAt'],
  },
  SubscriptionResumed: {
    action: 'subscription.resumed',
    id: 'subscriptionId',
    show: ['customerId', 'at', 'period'],
  },
  SubscriptionAmendmentScheduled: {
    action: 'subscription.amendment_scheduled',
    id: 'subscriptionId',
    show: ['customerId', 'amendmentId', 'kind', 'effectiveAt', 'atPeriodEnd'],
  },
  SubscriptionAmendmentCanceled: {
    action: 'subscription.amendment_canceled',
    id: 'subscriptionId',
    show: ['customerId', 'amendmentId', 'replacedBy'],
  },
  SubscriptionAmendmentSkipped: {
    action: 'subscription.amendment_skipped',
    id: 'subscriptionId',
    show: ['customerId', 'amendmentId'],
  },
  SubscriptionAmendmentFailed: {
    action: 'subscription.amendment_failed',
    id: 'subscriptionId',
    show: ['customerId', 'amendmentId', 'code'],
  },
  SubscriptionAmended: {
    action: 'subscription.amended',
    id: 'subscriptionId',
    show: ['customerId', 'amendmentId', 'kind', 'at', 'from', 'planId', 'planVersion', 'prorate'],
  },
  SubscriptionPaymentFailed: {
    action: 'subscription.payment_failed',
    id: 'subscriptionId',
    show: ['customerId', 'invoiceId'],
  },
  SubscriptionPaymentSettled: {
    action: 'subscription.payment_settled',
    id: 'subscriptionId',
    show: ['customerId', 'invoiceId'],
  },
  SubscriptionInvoiceVoided: {
    action: 'subscription.invoice_voided',
    id: 'subscriptionId',
    show: ['customerId', 'invoiceId'],
  },
  SubscriptionCancellationScheduled: {
    action: 'subscription.cancellation_scheduled',
    id: 'subscriptionId',
    show: ['at', 'atPeriodEnd', 'options'],
  },
  SubscriptionCancellationWithdrawn: {
    action: 'subscription.cancellation_withdrawn',
    id: 'subscriptionId',
    show: ['customerId'],
  },
  SubscriptionCanceled: {
    action: 'subscription.canceled',
    id: 'subscriptionId',
    show: ['customerId', 'at', 'reason', 'options'],
  },
};

const about = ['customerId', 'currency'] as const;
const total = { total: jsonNumber };

export const invoiceRules: AuditRules<InvoiceEvent> = {
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
    show: [...about, 'attemptId', 'attempt'],
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
    show: [...about, 'attemptId', 'attempt', 'code'],
    showAs: total,
  },
  InvoicePaid: { action: 'invoice.paid', id: 'invoiceId', show: [...about, 'attemptId'], showAs: total },
  CreditNoteIssued: {
    action: 'invoice.credited',
    id: 'invoiceId',
    show: [...about],
    showAs: {
      note: ({ creditNoteId, reason, total: over, unpaid, toBalance, refunded }) => ({
        ...{ creditNoteId, reason, total: jsonNumber(over), unpaidAmount: jsonNumber(unpaid) },
        ...{ balanceAmount: jsonNumber(toBalance), refundAmount: jsonNumber(refunded) },
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
  InvoiceReduced: {
    action: 'invoice.reduced',
    id: 'invoiceId',
    show: [...about, 'byInvoiceId'],
    showAs: { amount: jsonNumber },
  },
  InvoiceMarkedUncollectible: {
    action: 'invoice.marked_uncollectible',
    id: 'invoiceId',
    show: [...about],
    showAs: { amount: jsonNumber },
  },
  InvoiceVoided: { action: 'invoice.voided', id: 'invoiceId', show: [...about, 'number'], showAs: total },
};

export const billingSettingsRules: AuditRules<BillingSettingsEvent> = {
  BillingSettingsChanged: {
    action: 'billing_settings.changed',
    id: 'accountId',
    changes: true,
    show: [
      'autoApprove',
      'autoCollect',
      'gracePeriodHours',
      'skipZeroInvoices',
      'netDays',
      'prorationBasis',
      'invoiceNumberPrefix',
      'invoiceNumberFormat',
      'creditNoteNumberPrefix',
      'language',
      'paperSize',
      'brandColor',
      'invoiceGrouping',
      'defaultTaxRateIds',
      'eInvoicing',
      'timezone',
    ],
  },
};

export const consolidationRules: AuditRules<ConsolidationEvent> = {
  InvoiceConsolidated: {
    action: 'invoice.consolidated',
    id: 'invoiceId',
    show: [...about, 'kind', 'billedAt', 'subscriptionIds'],
  },
};

export const billingRunRules: AuditRules<BillingRunEvent> = {
  BillingRunFinished: {
    action: 'billing_run.finished',
    id: 'runId',
    show: ['customerId', 'subscriptionId', 'subscriptions', 'invoices', 'failed'],
  },
};

export const balanceRules: AuditRules<BalanceEvent> = {
  BalanceCredited: {
    action: 'balance.credited',
    id: 'customerId',
    show: ['currency', 'source', 'sourceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceApplied: {
    action: 'balance.applied',
    id: 'customerId',
    show: ['currency', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceReturned: {
    action: 'balance.returned',
    id: 'customerId',
    show: ['currency', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
  BalanceDebited: {
    action: 'balance.debited',
    id: 'customerId',
    show: ['currency', 'creditNoteId', 'invoiceId'],
    showAs: { amount: jsonNumber, balance: jsonNumber },
  },
};
