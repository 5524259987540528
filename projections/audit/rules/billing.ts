import { jsonNumber } from '#libs/core';
import type { BillingRunEvent } from '#libs/billing';
import type { InvoiceEvent } from '#libs/invoicing';
import type { SubscriptionEvent } from '#libs/subscriptions';
import type { AuditRules } from './rule.js';

export const subscriptionRules: AuditRules<SubscriptionEvent> = {
  SubscriptionCreated: {
    action: 'subscription.created',
    id: 'subscriptionId',
    show: ['customerId', 'planId', 'planVersion', 'currency', 'startedAt'],
  },
  SubscriptionRenewed: {
    action: 'subscription.renewed',
    id: 'subscriptionId',
    show: ['customerId', 'period'],
  },
  SubscriptionUsageBilled: { action: 'subscription.usage_billed', id: 'subscriptionId', show: ['through'] },
  SubscriptionCancellationScheduled: {
    action: 'subscription.cancellation_scheduled',
    id: 'subscriptionId',
    show: ['at'],
  },
  SubscriptionCanceled: {
    action: 'subscription.canceled',
    id: 'subscriptionId',
    show: ['customerId', 'at', 'reason'],
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
  InvoiceVoided: { action: 'invoice.voided', id: 'invoiceId', show: [...about, 'number'], showAs: total },
};

export const billingRunRules: AuditRules<BillingRunEvent> = {
  BillingRunFinished: {
    action: 'billing_run.finished',
    id: 'runId',
    show: ['customerId', 'subscriptionId', 'subscriptions', 'invoices', 'failed'],
  },
};
