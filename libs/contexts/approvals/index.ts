export { APPROVAL_ACTIONS, describeAction, type ApprovalAction } from './actions.js';
export { ApprovalsModule } from './approvals.module.js';
export { ActionHeld } from './gate/action-held.js';
export { ApprovalGate } from './gate/approval-gate.js';
export { HeldCommandRegistry } from './gate/held-command-registry.js';
export { ApprovalMailProcess } from './mail/approval-mail.process.js';
export { ApprovalMails, type ApprovalMail } from './mail/approval-mails.js';
export { DEFAULT_EXPIRY_DAYS } from './policies/approval-policies.js';
export { ChangeApprovalPolicy } from './policies/change-approval-policy.js';
export { CurrentApprovalPolicies } from './policies/current-policies.js';
export type { ApprovalPolicy, ApprovalPolicyEvent } from './policies/events.js';
export { presentApprovalRequest, presentApprovalPolicy } from './present.js';
export {
  APPROVAL_STATUSES,
  approvalRequestDecider,
  type ApprovalRequest,
  type ApprovalStatus,
} from './requests/approval-request.js';
export { changedFields } from './requests/changed-fields.js';
export { DecideApproval } from './requests/decide-approval.js';
export type {
  ActionLine,
  ActionTerm,
  ApprovalRequestEvent,
  ProposedAction,
  ResourceReference,
  ResourceFieldChange,
} from './requests/events.js';
