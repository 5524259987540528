import { defineContext, NONE } from '#libs/manifest';
import { auditRules } from './audit-rules.js';
import { {{name}}Decider } from './{{file}}.js';

export default defineContext({
  deciders: [{{name}}Decider],
  auditRules,
  postings: NONE,
  permissions: {
    {{table}}: { read: ['admin', 'finance', 'developer', 'viewer'], write: ['admin', 'developer'] },
  },
  idPrefixes: ['{{idPrefix}}'],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  answers: [],
});
