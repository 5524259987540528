import { CHANGE, defineContext } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { creditTypeDecider } from './credit-types/credit-type.js';
import { CreditsModule } from './credits.module.js';
import { CreditExpiryProcess } from './credit-expiry.process.js';
import { CreditTypeReferences1700000004160 } from './migrations/1700000004160-credit-type-references.js';
import { WalletVersions1700000004170 } from './migrations/1700000004170-wallet-versions.js';
import { CreditsUsed1700000004180 } from './migrations/1700000004180-credits-used.js';
import { Refusals1700000004190 } from './migrations/1700000004190-refusals.js';
import { Wallets1700000004130 } from './migrations/1700000004130-wallets.js';
import { postings } from './postings.js';
import { permissions } from './permissions.js';
import { DrawDownRecorder } from './wallets/draw-down-recorder.js';
import { InterruptedWalletCompleter } from './wallets/interrupted-wallet-completer.js';
import { RefusalRecorder } from './wallets/refusal-recorder.js';
import { walletDecider } from './wallets/decider.js';
import { webhookEvents } from './webhook-events.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [creditTypeDecider, walletDecider],
  auditTrailRules,
  postings,
  permissions,
  idPrefixes: ['rate', 'alw', 'blk'],
  tables: {
    migrations: [
      Wallets1700000004130,
      CreditTypeReferences1700000004160,
      WalletVersions1700000004170,
      CreditsUsed1700000004180,
      Refusals1700000004190,
    ],
    rights: { app: { credits: { '*': CHANGE } } },
  },
  webhooks: webhookEvents,
  background: {
    modules: [CreditsModule],
    processManagers: [CreditExpiryProcess],
    workers: [DrawDownRecorder, InterruptedWalletCompleter, RefusalRecorder],
    retentions: [],
  },
  personalData: [],
  customerData,
  answers: [],
});
