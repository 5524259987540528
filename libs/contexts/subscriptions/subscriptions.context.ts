import { defineContext, NONE } from '#libs/manifest';
import { subscriptionDecider } from './decider.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { postings } from './postings.js';
import { webhookEvents } from './webhook-events.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [subscriptionDecider],
  auditTrailRules,
  postings,
  permissions,
  idPrefixes: ['sub', 'amd'],
  tables: NONE,
  webhooks: webhookEvents,
  background: NONE,
  personalData: [],
  customerData,
  answers: [],
});
