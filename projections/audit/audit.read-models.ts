import { AuditEntryReader } from '#libs/contexts/audit';
import { defineReadModels } from '#libs/kernel/projection';
import { AuditRowsOfResources } from './audit-entries-of-resources.js';
import { auditProjection } from './audit.projection.js';

export default defineReadModels({
  projections: [auditProjection],
  adapters: [{ provide: AuditEntryReader, useClass: AuditRowsOfResources }],
});
