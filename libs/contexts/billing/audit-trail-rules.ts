import type { AuditTrailRules } from '#libs/manifest';
import type { ConsolidationEvent } from './consolidation/events.js';
import type { BillingRunEvent } from './runs/events.js';

export const auditTrailRules: AuditTrailRules<ConsolidationEvent | BillingRunEvent> = {
  InvoiceConsolidated: {
    action: 'invoice.consolidated',
    id: 'invoiceId',
    show: ['customerId', 'currency', 'kind', 'billedAt', 'subscriptionIds'],
  },
  BillingRunFinished: {
    action: 'billing_run.finished',
    id: 'runId',
    show: ['customerId', 'subscriptionId', 'subscriptions', 'invoices', 'failed'],
  },
};
