import type { BooksExport } from '#libs/outputs/books';
import type { BooksExportView } from './books-exports.dto.js';
import { expiryOfBooksJob, progressOfBooksJob } from './present-books-job.js';

/** Converts an export of the books to its form in the API. */
export function presentBooksExport(one: BooksExport): BooksExportView {
  const { id, format, since, until, status, transactions, bytes, error, createdAt, endedAt } = one;
  return {
    id,
    format,
    since,
    until,
    status,
    progress: progressOfBooksJob(one),
    transactions,
    bytes,
    error,
    createdAt,
    endedAt,
    expiresAt: expiryOfBooksJob(one),
  };
}
