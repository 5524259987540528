import { defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { customerLicensesDecider } from './customer-licenses.js';
import { permissions } from './permissions.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [customerLicensesDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['lic'],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData,
  answers: [],
});
