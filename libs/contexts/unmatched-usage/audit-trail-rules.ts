import type { UnmatchedUsageReportEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

/** A report of uncounted or unpriced usage is not in the audit trail, because it only describes the usage log and changes nothing. */
export const auditTrailRules: AuditTrailRules<UnmatchedUsageReportEvent> = {
  UnmatchedUsageReported: INTERNAL,
  UnpricedUsageReported: INTERNAL,
};
