export { AccountNames } from './account-names.js';
export {
  BooksBuilder,
  BooksSums,
  lastInstantOfRange,
  type BooksRange,
  type PlaceInBooks,
} from './books-builder.js';
export {
  BOOKS_EXPORT_DAYS,
  BOOKS_EXPORT_STATUSES,
  type BooksExport,
  type BooksExportStatus,
} from './books-export.js';
export { BooksExporter } from './books-exporter.js';
export { BooksExportStore } from './books-export-store.js';
export { BooksModule } from './books.module.js';
export {
  LEDGER_FILE_FORMATS,
  LEDGER_FILE_FORMAT_NAMES,
  ledgerFileOf,
  plainTextAccountName,
  type LedgerBooks,
  type LedgerExtract,
  type LedgerFileFormatName,
} from './formats/index.js';
export { eventsThrough } from './workspace-events.js';
