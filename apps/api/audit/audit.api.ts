import { defineApi } from '../http/index.js';
import { AuditEntryView } from './audit.dto.js';
import { AuditApiModule } from './audit.api.module.js';

export default defineApi({
  module: AuditApiModule,
  tags: [{ name: 'Audit', group: 'books', description: 'Who did what and when.' }],
  customerData: { auditEntries: AuditEntryView },
});
