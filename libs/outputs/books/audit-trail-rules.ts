import type { AuditTrailRules } from '#libs/manifest';
import type { BooksExportEvent } from './events.js';

export const auditTrailRules: AuditTrailRules<BooksExportEvent> = {
  BooksExportRequested: {
    action: 'books_export.requested',
    id: 'exportId',
    show: ['format', 'since', 'until'],
  },
};
