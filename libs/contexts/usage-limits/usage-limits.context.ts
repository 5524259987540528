import { CHANGE, defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { pruneCounters } from './counting/counter-rows.js';
import { CountersEraser } from './counting/counters-eraser.js';
import { usageLimitDecider } from './limits/usage-limit.js';
import { Limits1700000004150 } from './migrations/1700000004150-limits.js';
import { permissions } from './permissions.js';
import { UsageLimitsModule } from './usage-limits.module.js';
import { UsageLimitsProcess } from './usage-limits.process.js';
import { LimitReporter } from './warnings/limit-reporter.js';
import { notifiedThresholdsDecider } from './warnings/notified-thresholds.js';
import { webhookEvents } from './webhook-events.js';
import { customerData } from './customer-data.js';

/**
 * The number of days for which a counter is kept after it was last counted from the usage log. A counter is kept longer than usage may
 * arrive late, so that few counters must be counted again.
 */
const COUNTER_DAYS = 60;

export default defineContext({
  deciders: [usageLimitDecider, notifiedThresholdsDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['lim'],
  tables: { migrations: [Limits1700000004150], rights: { app: { limits: { '*': CHANGE } } } },
  webhooks: webhookEvents,
  background: {
    modules: [UsageLimitsModule],
    processManagers: [UsageLimitsProcess],
    workers: [LimitReporter],
    retentions: [{ table: 'limits.counters', days: () => COUNTER_DAYS, prune: pruneCounters }],
  },
  personalData: [CountersEraser],
  customerData,
  answers: [],
});
