import type { UnmatchedUsageEvent } from './events.js';
import { INTERNAL, type AuditRules } from '#libs/manifest';

/** A report changes nothing. It only describes the content of the usage log. */
export const auditRules: AuditRules<UnmatchedUsageEvent> = { UnmatchedUsageReported: INTERNAL };
