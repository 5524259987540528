import { defineContext, NONE } from '#libs/manifest';
import { revenueAccrualDecider } from './accruals/revenue-accrual.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { revenueMonthsDecider } from './closing/revenue-months.js';
import { AccrualsOfEarlierSubscriptions1700000007910 } from './migrations/1700000007910-accruals-of-earlier-subscriptions.js';
import { permissions } from './permissions.js';
import { postings } from './postings.js';
import { RevenueModule } from './revenue.module.js';
import { RevenueProcess } from './revenue.process.js';

export default defineContext({
  deciders: [revenueAccrualDecider, revenueMonthsDecider],
  auditTrailRules,
  postings,
  permissions,
  idPrefixes: [],
  tables: { migrations: [AccrualsOfEarlierSubscriptions1700000007910], rights: {} },
  webhooks: NONE,
  background: {
    modules: [RevenueModule],
    processManagers: [RevenueProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [],
});
