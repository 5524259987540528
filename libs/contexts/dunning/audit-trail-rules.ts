import { jsonNumber } from '#libs/kernel/core';
import type { AuditTrailRules } from '#libs/manifest';
import type { DunningEvent } from './events.js';
import type { DunningPolicyEvent } from './policies/events.js';

export const auditTrailRules: AuditTrailRules<DunningEvent | DunningPolicyEvent> = {
  DunningPolicyChanged: {
    action: 'dunning_policy.changed',
    id: 'policyId',
    show: ['name', 'enabled', 'steps'],
  },
  DunningStarted: {
    action: 'dunning.started',
    id: 'processId',
    show: ['customerId', 'currency', 'policyId', 'invoiceIds', 'nextStepAt'],
  },
  DunningInvoiceAdded: {
    action: 'dunning.invoice_added',
    id: 'processId',
    show: ['customerId', 'invoiceId'],
  },
  DunningInvoiceSettled: {
    action: 'dunning.invoice_settled',
    id: 'processId',
    show: ['customerId', 'invoiceId', 'reason'],
  },
  DunningStepTaken: {
    action: 'dunning.step_taken',
    id: 'processId',
    show: [
      'customerId',
      'step',
      'template',
      'subscription',
      'mailId',
      'invoiceIds',
      'currency',
      'nextStepAt',
    ],
    showAs: { amount: jsonNumber },
  },
  DunningEnded: { action: 'dunning.ended', id: 'processId', show: ['customerId', 'reason'] },
};
