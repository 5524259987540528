import { defineApi } from '../http/index.js';
import { AuditApiModule } from './audit.api.module.js';

export default defineApi({
  module: AuditApiModule,
  tags: [{ name: 'Audit', group: 'books', description: 'Who did what and when.' }],
});
