import { AuditEntryReader } from '#libs/contexts/audit';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelAuditEntryReader } from './read-model-audit-entry-reader.js';
import { auditProjection } from './audit.projection.js';

export default defineReadModels({
  projections: [auditProjection],
  adapters: [{ provide: AuditEntryReader, useClass: ReadModelAuditEntryReader }],
});
