import { defineContext, NONE } from '#libs/manifest';
import { CreditAllowancesModule } from './credit-allowances.module.js';
import { CreditAllowancesProcess } from './credit-allowances.process.js';

export default defineContext({
  deciders: [],
  auditTrailRules: {},
  postings: NONE,
  permissions: {},
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: {
    modules: [CreditAllowancesModule],
    processManagers: [CreditAllowancesProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData: NONE,
  answers: [],
});
