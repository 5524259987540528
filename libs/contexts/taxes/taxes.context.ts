import { defineContext, NONE } from '#libs/manifest';
import { taxRateDecider } from './tax-rate.js';
import { auditRules } from './audit-rules.js';

export default defineContext({
  deciders: [taxRateDecider],
  auditRules,
  postings: NONE,
  permissions: {},
  idPrefixes: ['tax'],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData: NONE,
  answers: [],
});
