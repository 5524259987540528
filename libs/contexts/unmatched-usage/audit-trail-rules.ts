import type { UnmatchedUsageEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

/** A report changes nothing. It only describes the content of the usage log. */
export const auditTrailRules: AuditTrailRules<UnmatchedUsageEvent> = { UnmatchedUsageReported: INTERNAL };
