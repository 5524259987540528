import type { BooksVerification, ListedBooksVerification } from '#libs/outputs/books';
import type { BooksVerificationView, ListedBooksVerificationView } from './books-verifications.dto.js';
import { expiryOfBooksJob, progressOfBooksJob } from './present-books-job.js';

/** Converts a verification of the books to its form in the API, with its differences. */
export function presentBooksVerification(one: BooksVerification): BooksVerificationView {
  return { ...presentListedBooksVerification(one), differences: one.result?.differences ?? null };
}

/** Converts a verification of the books to its form in a list, without its differences. */
export function presentListedBooksVerification(one: ListedBooksVerification): ListedBooksVerificationView {
  const { id, status, result, error, createdAt, endedAt } = one;
  return {
    id,
    status,
    progress: progressOfBooksJob(one),
    events: result?.events ?? null,
    invoices: result?.invoices ?? null,
    auditEntries: result?.auditEntries ?? null,
    lastAuditEntry: result?.lastAuditEntry ?? null,
    position: result?.position ?? null,
    comparedUpTo: result?.comparedUpTo ?? null,
    differenceCount: result?.differenceCount ?? null,
    error,
    createdAt,
    endedAt,
    expiresAt: expiryOfBooksJob(one),
  };
}
