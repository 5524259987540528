import { CHANGE, defineContext, NONE } from '#libs/manifest';
import { auditRules } from './audit-rules.js';
import { usageLimitDecider } from './limits/usage-limit.js';
import { Limits1700000004150 } from './migrations/1700000004150-limits.js';
import { permissions } from './permissions.js';
import { UsageLimitsModule } from './usage-limits.module.js';
import { UsageLimitsProcess } from './usage-limits.process.js';
import { LimitReporter } from './warnings/limit-reporter.js';
import { toldThresholdsDecider } from './warnings/told-thresholds.js';
import { webhookEvents } from './webhook-events.js';

export default defineContext({
  deciders: [usageLimitDecider, toldThresholdsDecider],
  auditRules,
  postings: NONE,
  permissions,
  idPrefixes: ['lim'],
  tables: { migrations: [Limits1700000004150], rights: { app: { limits: { '*': CHANGE } } } },
  webhooks: webhookEvents,
  background: {
    modules: [UsageLimitsModule],
    processManagers: [UsageLimitsProcess],
    workers: [LimitReporter],
    retentions: [],
  },
  answers: [],
});
