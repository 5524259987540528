import { defineContext, NONE } from '#libs/manifest';
import { AuditModule } from './audit.module.js';
import { AuditAnchorer } from './anchorer.js';
import { auditAnchorDecider } from './anchor.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [auditAnchorDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [AuditModule],
    processManagers: [],
    workers: [AuditAnchorer],
    retentions: [],
  },
  personalData: [],
  customerData,
  answers: [],
});
