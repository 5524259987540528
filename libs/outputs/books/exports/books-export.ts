import type { Instant } from '#libs/kernel/core';
import type { ReportMoment } from '#libs/contexts/ledger';
import type { LedgerFileFormatName } from '../formats/index.js';
import type { BooksJob } from '../jobs/books-job.js';

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
export interface BooksExport extends BooksExportRequest, BooksJob {
  /** The number of transactions in the file; null until the export is done. */
  readonly transactions: number | null;
  /** The size of the file; null until the export is done. */
  readonly bytes: number | null;
}
