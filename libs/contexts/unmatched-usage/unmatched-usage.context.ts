import { defineContext, NONE } from '#libs/manifest';
import { UnmatchedUsageModule } from './unmatched-usage.module.js';
import { UnmatchedUsageReporter } from './unmatched-usage-reporter.js';
import { unmatchedUsageDecider, unpricedUsageDecider } from './unmatched-usage.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { webhookEvents } from './webhook-events.js';

export default defineContext({
  deciders: [unmatchedUsageDecider, unpricedUsageDecider],
  auditTrailRules,
  postings: NONE,
  permissions: {},
  idPrefixes: [],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [UnmatchedUsageModule],
    processManagers: [],
    workers: [UnmatchedUsageReporter],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [],
});
