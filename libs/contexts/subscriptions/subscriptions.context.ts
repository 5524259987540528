import { defineContext, NONE } from '#libs/manifest';
import { subscriptionDecider } from './decider.js';
import { externalIdDecider } from './external-ids/external-id.js';
import { ExternalIdsProcess } from './external-ids/external-ids.process.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { postings } from './postings.js';
import { SubscriptionsModule } from './subscriptions.module.js';
import { webhookEvents } from './webhook-events.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [subscriptionDecider, externalIdDecider],
  auditTrailRules,
  postings,
  permissions,
  idPrefixes: ['sub', 'amd'],
  tables: NONE,
  webhooks: webhookEvents,
  background: {
    modules: [SubscriptionsModule],
    processManagers: [ExternalIdsProcess],
    workers: [],
    retentions: [],
  },
  personalData: [],
  customerData,
  answers: [],
});
