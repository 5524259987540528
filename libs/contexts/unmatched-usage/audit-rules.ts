import type { UnmatchedUsageEvent } from './events.js';
import { INTERNAL, type AuditRules } from '#libs/manifest';

/** A report changes nothing: it says what is in the usage log. */
export const auditRules: AuditRules<UnmatchedUsageEvent> = { UnmatchedUsageReported: INTERNAL };
