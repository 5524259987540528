import { defineContext, NONE } from '#libs/manifest';
import { balanceDecider } from './balance.js';
import { auditRules } from './audit-rules.js';
import { postings } from './postings.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [balanceDecider],
  auditRules,
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
