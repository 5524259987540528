export { AccountNames } from './account-names.js';
export {
  BooksBuilder,
  BooksSums,
  lastInstantOfRange,
  type BooksRange,
  type PlaceInBooks,
} from './books-builder.js';
export { BooksModule } from './books.module.js';
export type { BooksExport } from './exports/books-export.js';
export { BooksExportStore } from './exports/books-export-store.js';
export { BooksExporter } from './exports/books-exporter.js';
export {
  LEDGER_FILE_FORMATS,
  LEDGER_FILE_FORMAT_NAMES,
  ledgerFileOf,
  plainTextAccountName,
  type LedgerBooks,
  type LedgerExtract,
  type LedgerFileFormatName,
} from './formats/index.js';
export { BOOKS_JOB_DAYS, BOOKS_JOB_STATUSES, type BooksJob, type BooksJobStatus } from './jobs/books-job.js';
export type {
  BooksVerification,
  LastAuditEntry,
  LedgerDifference,
  ListedBooksVerification,
  StoredDifference,
} from './verifications/books-verification.js';
export { BooksVerificationStore } from './verifications/books-verification-store.js';
export {
  BooksVerifier,
  type LedgerVerification,
  type VerificationObserver,
} from './verifications/books-verifier.js';
export { eventsThrough } from './workspace-events.js';
