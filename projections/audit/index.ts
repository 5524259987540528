export { AuditQueries, type AuditFilter } from './audit-queries.js';
export { AuditReadModule } from './audit-read.module.js';
export { auditProjection } from './audit.projection.js';
export type { AuditRow } from './audit-row.js';
export { auditEntryOf, type AuditEntry } from './audit-entry.js';
export { AUDIT_EXPORT_COLUMNS, presentAuditEntry } from './present.js';
