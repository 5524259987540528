import type { AuditEvent } from './events.js';
import { INTERNAL, type AuditRules } from '#libs/manifest';

/** An anchor says how far the trail had come; as an entry of it, it would call for the next anchor. */
export const auditRules: AuditRules<AuditEvent> = { AuditAnchored: INTERNAL };
