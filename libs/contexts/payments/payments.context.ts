import { defineContext, NONE, CHANGE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { customerData } from './customer-data.js';
import { paymentGatewayDecider } from './connection/payment-gateway-record.js';
import { Payments1700000001000 } from './migrations/1700000001000-payments.js';
import { Refunds1700000003420 } from './migrations/1700000003420-refunds.js';
import { Stripe1700000007600 } from './migrations/1700000007600-stripe.js';
import { RefusedKeys1700000007900 } from './migrations/1700000007900-refused-keys.js';
import { SandboxDisputes1700000008100 } from './migrations/1700000008100-sandbox-disputes.js';
import { ReturnHosts1700000008110 } from './migrations/1700000008110-return-hosts.js';
import { CardPurposes1700000008250 } from './migrations/1700000008250-card-purposes.js';
import { PaymentsModule } from './payments.module.js';
import { PaymentsProcess } from './payments.process.js';
import { permissions } from './permissions.js';
import { pruneCardSetups } from './stripe/card-setups.js';
import { StripeCustomersEraser } from './stripe/stripe-customers-eraser.js';
import { pruneStripeEvents } from './stripe/stripe-event-reader.js';

/**
 * The number of days for which the ids of Stripe's events are kept. Stripe repeats an undelivered event for three days; a user can resend
 * an event in Stripe for 30 days.
 */
const STRIPE_EVENT_DAYS = 60;

/** The number of days for which a card setup is kept. Stripe's page for entering a card can be used for 24 hours. */
const CARD_SETUP_DAYS = 30;

export default defineContext({
  deciders: [paymentGatewayDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['cset', 're', 'dp'],
  tables: {
    migrations: [
      Payments1700000001000,
      Refunds1700000003420,
      Stripe1700000007600,
      RefusedKeys1700000007900,
      SandboxDisputes1700000008100,
      ReturnHosts1700000008110,
      CardPurposes1700000008250,
    ],
    rights: { app: { payments: { '*': CHANGE } } },
  },
  webhooks: NONE,
  background: {
    modules: [PaymentsModule],
    processManagers: [PaymentsProcess],
    workers: [],
    retentions: [
      { table: 'payments.stripe_events', days: () => STRIPE_EVENT_DAYS, prune: pruneStripeEvents },
      { table: 'payments.card_setups', days: () => CARD_SETUP_DAYS, prune: pruneCardSetups },
    ],
  },
  personalData: [StripeCustomersEraser],
  customerData,
  answers: [],
});
