import { defineContext, NONE } from '#libs/manifest';
import { ApprovalsModule } from './approvals.module.js';
import { ApprovalsProcess } from './approvals.process.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { ApprovalMailModule } from './mail/approval-mail.module.js';
import { ApprovalMailProcess } from './mail/approval-mail.process.js';
import { permissions } from './permissions.js';
import { approvalPoliciesDecider } from './policies/approval-policies.js';
import { approvalRequestDecider } from './requests/approval-request.js';
import { webhookEvents } from './webhook-events.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [approvalPoliciesDecider, approvalRequestDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['apr'],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [ApprovalsModule, ApprovalMailModule],
    processManagers: [ApprovalsProcess, ApprovalMailProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData,
  answers: [],
});
