import { defineContext, NONE, CHANGE } from '#libs/manifest';
import { Payments1700000001000 } from './migrations/1700000001000-payments.js';
import { Refunds1700000003420 } from './migrations/1700000003420-refunds.js';

export default defineContext({
  deciders: [],
  auditRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: [],
  tables: {
    migrations: [Payments1700000001000, Refunds1700000003420],
    rights: { app: { payments: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData: NONE,
  answers: [],
});
