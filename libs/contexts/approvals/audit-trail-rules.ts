import { jsonNumber, type DecimalString } from '#libs/kernel/core';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';
import type { ApprovalPolicyEvent } from './policies/events.js';
import type { ApprovalRequestEvent } from './requests/events.js';

const amount = (value: DecimalString | null) => (value === null ? null : jsonNumber(value));

export const auditTrailRules: AuditTrailRules<ApprovalPolicyEvent | ApprovalRequestEvent> = {
  ApprovalPolicyChanged: {
    action: 'approval_policy.changed',
    id: 'action',
    show: ['enabled', 'thresholdCurrency', 'expiresInDays'],
    showAs: { thresholdAmount: amount },
  },
  ApprovalRequested: {
    action: 'approval.requested',
    id: 'requestId',
    show: ['action', 'customerId', 'resource', 'currency', 'expiresAt'],
    showAs: { amount },
  },
  ApprovalGranted: { action: 'approval.approved', id: 'requestId', show: ['action', 'customerId'] },
  ApprovalRejected: { action: 'approval.rejected', id: 'requestId', show: ['action', 'customerId'] },
  ApprovalExpired: { action: 'approval.expired', id: 'requestId', show: ['action', 'customerId'] },
  ApprovedActionStarted: INTERNAL,
  ApprovedActionExecuted: {
    action: 'approval.executed',
    id: 'requestId',
    show: ['action', 'customerId', 'result'],
  },
  ApprovedActionFailed: {
    action: 'approval.failed',
    id: 'requestId',
    show: ['action', 'customerId', 'code'],
  },
};
