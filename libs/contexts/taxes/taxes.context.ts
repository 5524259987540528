import { defineContext, NONE } from '#libs/manifest';
import { taxRateDecider } from './tax-rate.js';
import { auditTrailRules } from './audit-trail-rules.js';

export default defineContext({
  deciders: [taxRateDecider],
  auditTrailRules,
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
