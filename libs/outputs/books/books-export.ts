import type { Instant } from '#libs/kernel/core';
import type { ReportMoment } from '#libs/contexts/ledger';
import type { LedgerFileFormatName } from './formats/index.js';

/** The number of days for which the file of an export is kept after its end. */
export const BOOKS_EXPORT_DAYS = 7;

/** `pending`: waits for its turn. `running`: is being made. `done`: the file can be downloaded. `failed`: `error` says why. */
export const BOOKS_EXPORT_STATUSES = ['pending', 'running', 'done', 'failed'] as const;
export type BooksExportStatus = (typeof BOOKS_EXPORT_STATUSES)[number];

/** What an export contains. */
export interface BooksExportRequest {
  readonly id: string;
  readonly workspaceId: string;
  readonly format: LedgerFileFormatName;
  /** The first moment that the file includes; null for the beginning of the books. */
  readonly since: ReportMoment | null;
  /** The last moment that the file includes, a date with its whole day; null for the time of the request. */
  readonly until: ReportMoment | null;
  /** The last instant that the file includes, by the workspace's clock. It is fixed when the export is requested. */
  readonly last: Instant;
}

/** An export of the books as a file. */
export interface BooksExport extends BooksExportRequest {
  readonly status: BooksExportStatus;
  /** The number of the run that makes the file. An interrupted run is followed by another one. */
  readonly run: number;
  /** The position in the event log up to which events are read; null before the first run. */
  readonly head: string | null;
  /** The position up to which events have been read; null before the first run. */
  readonly position: string | null;
  /** The number of transactions in the file; null until the export is done. */
  readonly transactions: number | null;
  /** The size of the file; null until the export is done. */
  readonly bytes: number | null;
  readonly error: string | null;
  readonly createdAt: Instant;
  readonly endedAt: Instant | null;
}
