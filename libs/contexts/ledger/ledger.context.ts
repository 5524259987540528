import { defineContext, NONE } from '#libs/manifest';

export default defineContext({
  deciders: [],
  auditRules: {},
  postings: NONE,
  permissions: {
    ledger: { read: ['admin', 'finance', 'developer'] },
  },
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  answers: [],
});
