import { defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { CollectionModule } from './collection.module.js';
import { CollectionProcess } from './collection.process.js';
import { paymentRetrySettingsDecider } from './settings/payment-retry-settings.js';

export default defineContext({
  deciders: [paymentRetrySettingsDecider],
  auditTrailRules,
  postings: NONE,
  permissions: {},
  idPrefixes: ['pay'],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [CollectionModule],
    processManagers: [CollectionProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [],
});
