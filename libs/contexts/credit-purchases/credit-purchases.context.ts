import { defineContext, NONE } from '#libs/manifest';
import { CreditPurchasesModule } from './credit-purchases.module.js';
import { CreditPurchasesProcess } from './credit-purchases.process.js';

export default defineContext({
  deciders: [],
  auditTrailRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [CreditPurchasesModule],
    processManagers: [CreditPurchasesProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [],
});
