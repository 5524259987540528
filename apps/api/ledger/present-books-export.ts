import { addSeconds } from '#libs/kernel/core';
import { BOOKS_EXPORT_DAYS, type BooksExport } from '#libs/outputs/books';

const SECONDS_PER_DAY = 86_400;

/** Converts an export of the books to its form in the API. */
export function presentBooksExport(one: BooksExport) {
  const { id, format, since, until, status, transactions, bytes, error, createdAt, endedAt } = one;
  return {
    id,
    format,
    since,
    until,
    status,
    progress: progressOf(one),
    transactions,
    bytes,
    error,
    createdAt,
    endedAt,
    expiresAt: endedAt === null ? null : addSeconds(endedAt, BOOKS_EXPORT_DAYS * SECONDS_PER_DAY),
  };
}

/** The part of the event log that has been read, from 0 to 1, in hundredths. */
function progressOf({ status, head, position }: BooksExport): number {
  if (status === 'done') return 1;
  const [end, read] = [Number(head ?? 0), Number(position ?? 0)];
  return end > 0 ? Math.floor(Math.min(1, read / end) * 100) / 100 : 0;
}
