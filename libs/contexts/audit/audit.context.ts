import { defineContext, NONE } from '#libs/manifest';
import { AuditModule } from './audit.module.js';
import { AuditAnchorer } from './anchorer.js';
import { auditDecider } from './anchor.js';
import { auditRules } from './audit-rules.js';

export default defineContext({
  deciders: [auditDecider],
  auditRules,
  postings: NONE,
  permissions: {
    audit: { read: ['admin', 'finance', 'developer'] },
  },
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [AuditModule],
    processManagers: [],
    workers: [AuditAnchorer],
    retentions: [],
  },
  answers: [],
});
