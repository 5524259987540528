import { defineContext, NONE } from '#libs/manifest';
import { auditRules } from './audit-rules.js';
import { creditTypeDecider } from './credit-types/credit-type.js';
import { CreditsModule } from './credits.module.js';
import { CreditsProcess } from './credits.process.js';
import { permissions } from './permissions.js';
import { walletDecider } from './wallets/wallet.js';
import { webhookEvents } from './webhook-events.js';

export default defineContext({
  deciders: [creditTypeDecider, walletDecider],
  auditRules,
  postings: NONE,
  permissions,
  idPrefixes: ['rate', 'alw', 'blk'],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [CreditsModule],
    processManagers: [CreditsProcess],
    workers: [],
    retentions: [],
  },
  answers: [],
});
