import { defineContext, NONE } from '#libs/manifest';
import { balanceDecider } from './balance.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { postings } from './postings.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [balanceDecider],
  auditTrailRules,
  postings,
  permissions: {},
  idPrefixes: ['adj'],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData,
  answers: [],
});
