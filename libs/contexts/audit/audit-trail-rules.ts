import type { AuditEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

/**
 * The audit-trail rules for the events of this context. An anchor is not shown in the audit trail, because it records the progress of the
 * trail. An anchor that was itself an entry would require another anchor.
 */
export const auditTrailRules: AuditTrailRules<AuditEvent> = { AuditAnchored: INTERNAL };
