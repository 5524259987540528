import { defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { entitlementGrantDecider } from './entitlement-grant.js';
import { permissions } from './permissions.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [entitlementGrantDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['entgrant'],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData,
  answers: [],
});
