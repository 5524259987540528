import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** An export of the books was requested. `since` and `until` are the first and last moment that were asked for; null if none was. */
export type BooksExportEvent = DomainEvent<
  'BooksExportRequested',
  { exportId: string; at: Instant; format: string; since: string | null; until: string | null }
>;

/** A verification of the books was requested. */
export type BooksVerificationEvent = DomainEvent<
  'BooksVerificationRequested',
  { verificationId: string; at: Instant }
>;

export const booksExportEvents: EventCatalog<BooksExportEvent> = { BooksExportRequested: v1 };

export const booksVerificationEvents: EventCatalog<BooksVerificationEvent> = {
  BooksVerificationRequested: v1,
};
