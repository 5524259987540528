import { INTERNAL, type AuditTrailRules } from '#libs/manifest';
import type { SubscriptionEvent } from './events.js';
import type { ExternalIdEvent } from './external-ids/external-id.js';

export const auditTrailRules: AuditTrailRules<SubscriptionEvent | ExternalIdEvent> = {
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
  SubscriptionLicensesCounted: {
    action: 'subscription.licenses_counted',
    id: 'subscriptionId',
    show: ['customerId', 'at'],
    showAs: { licenses: ({ active }) => active },
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
    show: ['cancelAt', 'atPeriodEnd', 'options'],
  },
  SubscriptionCancellationWithdrawn: {
    action: 'subscription.cancellation_withdrawn',
    id: 'subscriptionId',
    show: ['customerId'],
  },
  SubscriptionDetailsChanged: {
    action: 'subscription.updated',
    id: 'subscriptionId',
    show: ['customerId', 'at', 'ownBillingThresholds'],
    changes: true,
  },
  SubscriptionExternalIdTaken: INTERNAL,
  SubscriptionExternalIdReleased: INTERNAL,
  SubscriptionCanceled: {
    action: 'subscription.canceled',
    id: 'subscriptionId',
    show: ['customerId', 'at', 'reason', 'options'],
  },
};
