import { defineContext, NONE } from '#libs/manifest';
import { ApprovalsModule } from './approvals.module.js';
import { ApprovalsProcess } from './approvals.process.js';
import { auditRules } from './audit-rules.js';
import { permissions } from './permissions.js';
import { approvalPoliciesDecider } from './policies/approval-policies.js';
import { approvalRequestDecider } from './requests/approval-request.js';
import { webhookEvents } from './webhook-events.js';

export default defineContext({
  deciders: [approvalPoliciesDecider, approvalRequestDecider],
  auditRules,
  postings: NONE,
  permissions,
  idPrefixes: ['apr'],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [ApprovalsModule],
    processManagers: [ApprovalsProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  answers: [],
});
