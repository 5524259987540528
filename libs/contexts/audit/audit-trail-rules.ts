import type { AuditEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

/** An anchor records the progress of the audit trail. If the anchor were itself an entry, it would require another anchor. */
export const auditTrailRules: AuditTrailRules<AuditEvent> = { AuditAnchored: INTERNAL };
