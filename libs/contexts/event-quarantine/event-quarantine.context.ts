import { defineContext, NONE } from '#libs/manifest';
import { auditTrailRules } from './audit-trail-rules.js';
import { eventQuarantineDecider } from './event-quarantine.js';

export default defineContext({
  deciders: [eventQuarantineDecider],
  auditTrailRules,
  postings: NONE,
  permissions: {},
  idPrefixes: [],
  tables: NONE,
  webhooks: NONE,
  background: NONE,
  personalData: [],
  customerData: NONE,
  answers: [],
});
