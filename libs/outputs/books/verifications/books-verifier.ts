import type { ChainLink } from '#libs/contexts/audit';
import type { Position } from '#libs/kernel/domain';
import type { LastAuditEntry, LedgerDifference } from './books-verification.js';

/** The result of a verification of the ledger, as counts and positions. */
export interface LedgerVerification {
  /** The position of the last event in the log; undefined if the log is empty. */
  readonly head: Position | undefined;
  /** The position that all compared read models have reached. The read models were compared with the events up to this position. */
  readonly readModelPosition: Position;
  /** The number of events of the verified workspaces. */
  readonly eventCount: number;
  readonly invoiceCount: number;
  /** The number of entries of the audit trail, of the verified workspaces. */
  readonly auditEntryCount: number;
  /** The number of anchors of the audit trail's chain. */
  readonly anchorCount: number;
  /** The newest link of the audit trail's chain, computed from the events. An auditor can store the newest link and compare it later. */
  readonly newestLink: ChainLink;
  /** The newest entry of the verified workspaces in the audit trail; undefined if there is none. */
  readonly lastAuditEntry: LastAuditEntry | undefined;
  /** The number of differences that were found. */
  readonly differenceCount: number;
}

/** Learns what a verification has done and found so far. */
export interface VerificationObserver {
  /** Called once, before the log is read up to the position `head`. -1 means that the log is empty. */
  begin(head: Position): void | Promise<void>;
  /** Called when the events up to `position` were checked. `eventCount` is the number of checked events. */
  reach(position: Position, eventCount: number): void | Promise<void>;
  /** Called for each difference, as soon as it is found. */
  find(difference: LedgerDifference): void;
}

/** Verifies the books of one workspace. The saga app provides the implementation, because the verification needs all read models. */
export abstract class BooksVerifier {
  /**
   * Computes the books of the workspace again from its events, and compares them with what the product shows. Writes nothing.
   *
   * @throws UnreadableEvent if an event of another workspace cannot be read
   * @throws the reason of `signal` if it is aborted
   */
  abstract verify(
    workspaceId: string,
    observer: VerificationObserver,
    signal: AbortSignal,
  ): Promise<LedgerVerification>;
}
