import { defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { {{name}}Decider } from './{{file}}.js';

export default defineContext({
  deciders: [{{name}}Decider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['{{idPrefix}}'],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData: NONE,
  answers: [],
});
