import { jsonNumber } from '#libs/kernel/core';
import type { AuditTrailRules } from '#libs/manifest';
import type { EntitlementGrantEvent } from './events.js';

export const auditTrailRules: AuditTrailRules<EntitlementGrantEvent> = {
  EntitlementGranted: {
    action: 'entitlement_grant.created',
    id: 'grantId',
    show: ['customerId', 'featureId', 'expiresAt'],
    showAs: { limit: (limit) => (limit === null ? null : jsonNumber(limit)) },
  },
  EntitlementGrantRemoved: { action: 'entitlement_grant.removed', id: 'grantId', show: ['customerId'] },
};
