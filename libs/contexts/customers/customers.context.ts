import { defineContext, NONE } from '#libs/manifest';
import { customerDecider } from './customer.js';
import { auditTrailRules } from './audit-trail-rules.js';
import { permissions } from './permissions.js';
import { webhookEvents } from './webhook-events.js';
import { customerData } from './customer-data.js';

export default defineContext({
  deciders: [customerDecider],
  auditTrailRules,
  postings: NONE,
  permissions,
  idPrefixes: ['cust', 'pm'],
  tables: NONE,
  webhooks: webhookEvents,
  background: NONE,
  personalData: [],
  customerData,
  answers: [],
});
