import { defineContext, NONE } from '#libs/manifest';
import { permissions } from './permissions.js';

export default defineContext({
  deciders: [],
  auditTrailRules: {},
  postings: NONE,
  permissions,
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData: NONE,
  answers: [],
});
