import { defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { StoredAnswersEraser } from './erasers/stored-answers.js';
import { StoredTasksEraser } from './erasers/stored-tasks.js';
import { UsagePropertiesEraser } from './erasers/usage-properties.js';
import { dataExportsDecider } from './data-exports.js';
import { erasureDecider } from './erasure.js';
import { permissions } from './permissions.js';
import { ErasureModule } from './privacy.module.js';
import { UsageTextRemover } from './usage-text-remover.js';
import { PrivacyProcess } from './privacy.process.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [erasureDecider, dataExportsDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [ErasureModule],
    processManagers: [PrivacyProcess],
    workers: [UsageTextRemover],
    retentions: [],
  },
  personalData: [UsagePropertiesEraser, StoredTasksEraser, StoredAnswersEraser],
  customerData,
  answers: [],
});
