import { jsonNumber } from '#libs/kernel/core';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';
import type { UsageLimitEvent } from './limits/events.js';
import type { LimitWindowEvent } from './warnings/events.js';

export const auditTrailRules: AuditTrailRules<UsageLimitEvent | LimitWindowEvent> = {
  UsageLimitCreated: {
    action: 'usage_limit.created',
    id: 'limitId',
    show: ['customerId', 'metricId', 'per', 'action'],
    showAs: { limit: jsonNumber },
  },
  UsageLimitUpdated: { action: 'usage_limit.updated', id: 'limitId', changes: true },
  UsageLimitDeleted: { action: 'usage_limit.deleted', id: 'limitId', show: ['customerId'] },
  // The audit trail leaves out reached thresholds, because no user decided about them. Webhooks send them.
  UsageLimitReached: INTERNAL,
};
