import { defineContext, NONE } from '#libs/manifest';

export default defineContext({
  deciders: [],
  auditTrailRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData: NONE,
  answers: [],
});
