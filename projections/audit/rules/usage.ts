import type { UnmatchedUsageEvent } from '#libs/contexts/unmatched-usage';
import { INTERNAL, type AuditRules } from './rule.js';

/** A report changes nothing: it says what is in the usage log. */
export const unmatchedUsageRules: AuditRules<UnmatchedUsageEvent> = { UnmatchedUsageReported: INTERNAL };
