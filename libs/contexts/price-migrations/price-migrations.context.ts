import { defineContext, NONE } from '#libs/manifest';
import { PlannedPriceMigrationsModule, PriceMigrationRunsModule } from './price-migrations.module.js';
import { PriceMigrationProcess } from './price-migration.process.js';
import { priceMigrationDecider } from './price-migration.js';
import { planMigrationsDecider } from './plan-migrations.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { webhookEvents } from './webhook-events.js';

export default defineContext({
  deciders: [priceMigrationDecider, planMigrationsDecider],
  auditTrailRules,
  postings: NONE,
  permissions: {},
  idPrefixes: ['mig'],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [PriceMigrationRunsModule],
    processManagers: [PriceMigrationProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [PlannedPriceMigrationsModule],
});
