import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { EventFeed } from '#libs/kernel/event-store';
import type { Position } from '#libs/kernel/domain';
import type { Run } from '../jobs/books-job.js';
import {
  MAX_STORED_DIFFERENCES,
  type BooksVerification,
  type LedgerDifference,
  type StoredDifference,
} from './books-verification.js';
import { BooksVerificationStore } from './books-verification-store.js';
import { BooksVerifier, type VerificationObserver } from './books-verifier.js';

const PROGRESS_MILLIS = 1_000;

/** Verifies the books of a workspace and stores the result. When the process is shut down, the attempt fails. */
@Injectable()
export class BooksVerificationRunner implements OnModuleDestroy {
  private readonly shutdown = new AbortController();

  constructor(
    private readonly store: BooksVerificationStore,
    private readonly verifier: BooksVerifier,
    private readonly feed: EventFeed,
  ) {}

  /** This hook runs before the one in which the saga waits for the tasks under way. */
  onModuleDestroy(): void {
    this.shutdown.abort();
  }

  /** Verifies from the beginning. Does nothing if the verification has ended or was removed. */
  async verify({ id, workspaceId }: BooksVerification): Promise<void> {
    const run = await this.store.begin(id, (await this.feed.readHead()) ?? -1n);
    if (run === undefined) return;
    const findings = new Findings(this.store, run);
    const verification = await this.verifier.verify(workspaceId, findings, this.shutdown.signal);
    await this.store.complete(run, {
      position: (verification.head ?? -1n).toString(),
      events: verification.eventCount,
      invoices: verification.invoiceCount,
      auditEntries: verification.auditEntryCount,
      lastAuditEntry: verification.lastAuditEntry ?? null,
      comparedUpTo: verification.readModelPosition.toString(),
      differenceCount: verification.differenceCount,
      differences: findings.differences,
    });
  }
}

/** Keeps the first differences, and stores the progress of a run. */
class Findings implements VerificationObserver {
  readonly differences: StoredDifference[] = [];
  private reportedAt = performance.now();

  constructor(
    private readonly store: BooksVerificationStore,
    private readonly run: Run,
  ) {}

  begin(): void {
    // The progress is measured against the end of the log when the run began, which the store has.
  }

  async reach(position: Position): Promise<void> {
    if (performance.now() - this.reportedAt < PROGRESS_MILLIS) return;
    this.reportedAt = performance.now();
    await this.store.recordProgress(this.run, position);
  }

  find({ position, subject, problem }: LedgerDifference): void {
    if (this.differences.length >= MAX_STORED_DIFFERENCES) return;
    this.differences.push({ position: position?.toString() ?? null, subject, problem });
  }
}
