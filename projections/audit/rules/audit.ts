import type { AuditEvent } from '#libs/contexts/audit';
import { INTERNAL, type AuditRules } from './rule.js';

/** An anchor says how far the trail had come; as an entry of it, it would call for the next anchor. */
export const anchorRules: AuditRules<AuditEvent> = { AuditAnchored: INTERNAL };
