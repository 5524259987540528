import { defineContext, NONE } from '#libs/manifest';
import { MeteringModule } from './metering.module.js';
import { MeteringProcess } from './metrics/metering.process.js';
import { metricDecider } from './metrics/metric.js';
import { priceDecider } from './prices/price.js';
import { planDecider } from './plans/plan.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';

export default defineContext({
  deciders: [metricDecider, priceDecider, planDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['met', 'price', 'plan'],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [MeteringModule],
    processManagers: [MeteringProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [],
});
