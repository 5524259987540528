export { AuditQueries, type AuditFilter } from './audit-queries.js';
export { AuditReadModule } from './audit-read.module.js';
export { auditProjection, chainedRows } from './audit.projection.js';
export { AuditRow } from './audit-row.js';
export { auditMembership } from './entry.js';
export { AUDIT_COLUMNS, presentAuditEntry } from './present.js';
