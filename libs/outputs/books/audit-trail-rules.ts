import type { AuditTrailRules } from '#libs/manifest';
import type { BooksExportEvent, BooksVerificationEvent } from './events.js';

export const auditTrailRules: AuditTrailRules<BooksExportEvent | BooksVerificationEvent> = {
  BooksExportRequested: {
    action: 'books_export.requested',
    id: 'exportId',
    show: ['format', 'since', 'until'],
  },
  BooksVerificationRequested: {
    action: 'books_verification.requested',
    id: 'verificationId',
    show: [],
  },
};
