import type { Position } from '#libs/kernel/domain';
import type { BooksJob } from '../jobs/books-job.js';

/** A difference between the event log and other data. */
export interface LedgerDifference {
  /** The position of the event that the difference is about; undefined if the difference is about no event. */
  readonly position: Position | undefined;
  /** The object that differs, such as `invoice inv_1 of acc_1`. */
  readonly subject: string;
  /** The description of the difference. */
  readonly problem: string;
}

/** A difference as it is stored. The position is null if the difference is about no event. */
export interface StoredDifference {
  readonly position: string | null;
  readonly subject: string;
  readonly problem: string;
}

/** The newest entry of the audit trail, with its id, the number in the chain of all workspaces, and the hash over all entries up to it. */
export interface LastAuditEntry {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
}

/** The differences that a verification stores. All are counted. */
export const MAX_STORED_DIFFERENCES = 1_000;

/** What a verification found. */
export interface BooksVerificationResult {
  /** The position of the log up to which the books were verified. */
  readonly position: string;
  readonly events: number;
  readonly invoices: number;
  readonly auditEntries: number;
  /** The newest entry of the workspace in the audit trail, computed from the events; null if it has none. */
  readonly lastAuditEntry: LastAuditEntry | null;
  /** The position of the log up to which lists, ledger and audit trail were compared with the events. */
  readonly comparedUpTo: string;
  /** The number of all differences. */
  readonly differenceCount: number;
  /** The first differences, at most {@link MAX_STORED_DIFFERENCES}. */
  readonly differences: readonly StoredDifference[];
}

/** A verification of the books of a workspace, without its differences. Its result is null until it is done. */
export interface ListedBooksVerification extends BooksJob {
  readonly result: Omit<BooksVerificationResult, 'differences'> | null;
}

/** A verification of the books of a workspace. Its result is null until it is done. */
export interface BooksVerification extends ListedBooksVerification {
  readonly result: BooksVerificationResult | null;
}
