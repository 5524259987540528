import { EXAMPLE, type WebhookContent, type WebhookEvents } from '#libs/manifest';
import type { ApprovalPolicyEvent } from './policies/events.js';
import { presentApprovalRequest } from './present.js';
import { approvalRequestDecider } from './requests/approval-request.js';
import type { ApprovalRequestEvent } from './requests/events.js';

const { customerId, invoiceId, periodEnd: at } = EXAMPLE;
const requestId = 'apr_01JD0000000000000EXAMPLE24';
const about = { requestId, customerId, action: 'invoice.void', at } as const;
const person = (name: string) => ({ type: 'user', id: `usr_${name}`, userId: `usr_${name}` }) as const;

const requested: ApprovalRequestEvent = {
  type: 'ApprovalRequested',
  data: {
    ...about,
    resource: { type: 'invoice', id: invoiceId },
    amount: '1200',
    currency: 'USD',
    reason: 'Issued by mistake',
    lines: [{ description: 'Platform fee', amount: '1200' }],
    effectiveAt: null,
    terms: [],
    changes: [{ field: 'status', before: 'open', after: 'void' }],
    command: { kind: 'void-invoice', data: { invoiceId, reason: 'Issued by mistake' } },
    requestedBy: person('01JD0000000000000EXAMPLE25'),
    expiresAt: '2026-02-08T00:00:00.000Z',
  },
};
const by = person('01JD0000000000000EXAMPLE26');
const granted: ApprovalRequestEvent = {
  type: 'ApprovalGranted',
  data: { ...about, by, note: 'Agreed with the customer' },
};
const started: ApprovalRequestEvent = { type: 'ApprovedActionStarted', data: about };

/** The webhook events about approval requests. Each message shows the request. */
export const webhookEvents: WebhookEvents<ApprovalPolicyEvent | ApprovalRequestEvent> = {
  names: ['requested', 'approved', 'rejected', 'executed', 'failed', 'expired'].map(
    (what) => `approval.${what}`,
  ),
  messages: {
    ApprovalRequested: told('approval.requested'),
    ApprovalGranted: told('approval.approved'),
    ApprovalRejected: told('approval.rejected'),
    ApprovedActionExecuted: told('approval.executed'),
    ApprovedActionFailed: told('approval.failed'),
    ApprovalExpired: told('approval.expired'),
  },
  resources: [{ decider: approvalRequestDecider, present: presentApprovalRequest }],
  examples: {
    'approval.requested': [requested],
    'approval.approved': [requested, granted],
    'approval.rejected': [
      requested,
      { type: 'ApprovalRejected', data: { ...about, by, note: 'The invoice is right' } },
    ],
    'approval.executed': [
      requested,
      granted,
      started,
      { type: 'ApprovedActionExecuted', data: { ...about, result: { type: 'invoice', id: invoiceId } } },
    ],
    'approval.failed': [
      requested,
      granted,
      started,
      {
        type: 'ApprovedActionFailed',
        data: {
          ...about,
          code: 'invoice_already_paid',
          message: 'The invoice is paid, and a paid invoice cannot be voided',
        },
      },
    ],
    'approval.expired': [requested, { type: 'ApprovalExpired', data: about }],
  },
};

/** Returns a function that makes the content of a webhook event. The approval request, in its API form, is added when the event is sent. */
function told(event: string): (data: { requestId: string }) => WebhookContent {
  return ({ requestId: id }) => ({ event, data: { id } });
}
