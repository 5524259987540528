import { defineContext, NONE } from '#libs/manifest';
import { BillingModule } from './billing.module.js';
import { BillingProcess } from './billing.process.js';
import { ThresholdTaskScheduler } from './progressive/threshold-task-scheduler.js';
import { billingRunDecider } from './runs/billing-run.js';
import { consolidationDecider } from './consolidation/consolidation.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { webhookEvents } from './webhook-events.js';

export default defineContext({
  deciders: [billingRunDecider, consolidationDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['line', 'run'],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [BillingModule],
    processManagers: [BillingProcess],
    workers: [ThresholdTaskScheduler],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [],
});
