import type { AuditEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

/**
 * An anchor records the progress of the audit trail. If an anchor were itself an entry of the audit trail, it would require another anchor.
 */
export const auditTrailRules: AuditTrailRules<AuditEvent> = { AuditAnchored: INTERNAL };
