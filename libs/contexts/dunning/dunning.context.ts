import { defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { customerData } from './customer-data.js';
import { debtDecider } from './debt.js';
import { DunningModule } from './dunning.module.js';
import { DunningProcess } from './dunning.process.js';
import { permissions } from './permissions.js';
import { dunningPoliciesDecider } from './policies/dunning-policies.js';
import { webhookEvents } from './webhook-events.js';

export default defineContext({
  deciders: [debtDecider, dunningPoliciesDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['dun'],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [DunningModule],
    processManagers: [DunningProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData,
  answers: [],
});
