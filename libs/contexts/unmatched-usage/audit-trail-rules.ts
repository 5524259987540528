import type { UnmatchedUsageReportEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

/** A report changes nothing. A report of uncounted usage only describes the content of the usage log. */
export const auditTrailRules: AuditTrailRules<UnmatchedUsageReportEvent> = {
  UnmatchedUsageReported: INTERNAL,
};
