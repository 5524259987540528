import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { UnreadableEvent } from '#libs/kernel/event-store';
import { quarantinedNow, type Position, type QuarantineEntry } from '#libs/kernel/domain';
import { loadCheckpoints } from '#libs/kernel/projection';
import {
  eventsThrough,
  type LedgerDifference,
  type LedgerVerification,
  type VerificationObserver,
} from '#libs/outputs/books';
import { auditProjection } from '#projections/audit';
import { invoicesProjection } from '#projections/invoices';
import { ledgerProjection } from '#projections/ledger';
import { LedgerVerificationRun } from './ledger-verification-run.js';
import { ReadModelSnapshot } from './read-model-snapshot.js';
import { openVerifySources, type VerifySources, type VerifySourcesOptions } from './verify-sources.js';

/** What a verification covers. */
export interface VerificationScope extends VerifySourcesOptions {
  /** The only workspace that is verified; undefined for all workspaces. */
  readonly workspaceId?: string;
  /** Ends the verification with an error when it is aborted. */
  readonly signal?: AbortSignal;
}

const COMPARED_READ_MODELS = [auditProjection.name, invoicesProjection.name, ledgerProjection.name];
/** The time to wait for the read models to reach the end of the log. */
const PATIENCE_MILLIS = 5_000;
const LOOK_MILLIS = 50;

/**
 * Verifies the books against the event store. Computes each invoice and each accrual of unbilled revenue again. Compares the read models of
 * invoices, ledger and audit trail with the events, and the figures of closed months with the ledger. Measures the unbilled revenue of
 * closed months again. Checks the audit trail's chain and anchors. Reads the log once and writes nothing.
 *
 * Each quarantined event is a difference. If another event of the log cannot be read, the events after it are not verified. The chain of the
 * audit trail is computed from the events of all workspaces, also if one workspace is verified.
 *
 * @throws SourceUnreachable if the database or the event store cannot be reached
 * @throws UnreadableEvent if one workspace is verified and an event of another one cannot be read
 */
export async function verifyLedger(
  scope: VerificationScope,
  observer: VerificationObserver,
): Promise<LedgerVerification> {
  const sources = await openVerifySources(scope);
  try {
    await waitForReadModels(sources.pool, await sources.feed.readHead(), scope.signal);
    const readSide = await ReadModelSnapshot.open(sources.pool);
    try {
      return await verify(sources, readSide, scope, observer);
    } finally {
      readSide.close();
    }
  } finally {
    await sources.close();
  }
}

async function verify(
  sources: VerifySources,
  readSide: ReadModelSnapshot,
  { workspaceId, signal = new AbortController().signal }: VerificationScope,
  observer: VerificationObserver,
): Promise<LedgerVerification> {
  const head = await sources.feed.readHead();
  await observer.begin(head ?? -1n);
  const run = new LedgerVerificationRun(sources, readSide, workspaceId, (difference) =>
    observer.find(difference),
  );
  try {
    run.reportDifferences(
      quarantinedNow(await sources.quarantine.reload())
        .filter((entry) => workspaceId === undefined || entry.workspaceId === workspaceId)
        .map(quarantinedDifference),
    );
    for await (const { events, position } of eventsThrough(sources.feed, head ?? -1n, signal)) {
      await run.checkEvents(events);
      await observer.reach(position, run.eventCount);
    }
    await run.finish(head ?? -1n, signal);
  } catch (error) {
    // An unreadable event is reported as a difference. The events after it cannot be verified.
    if (!(error instanceof UnreadableEvent)) throw error;
    if (workspaceId !== undefined && error.workspaceId !== workspaceId) throw error;
    run.reportDifferences([
      {
        position: error.position,
        subject: 'log',
        problem: `${error.message}; the events after it were not verified`,
      },
    ]);
  }
  const positions = COMPARED_READ_MODELS.map((name) => readSide.positionOf(name));
  return {
    head,
    readModelPosition: positions.reduce((a, b) => (a < b ? a : b)),
    eventCount: run.eventCount,
    invoiceCount: run.invoiceCount,
    auditEntryCount: run.auditEntryCount,
    anchorCount: run.anchorCount,
    newestLink: run.newestLink,
    lastAuditEntry: run.lastAuditEntry,
    differenceCount: run.differenceCount,
  };
}

/** An event that is still quarantined is a difference: what it would have done is in no read model and in no account. */
function quarantinedDifference({
  position,
  eventType,
  stream,
  at,
  reason,
}: QuarantineEntry): LedgerDifference {
  return {
    position: BigInt(position),
    subject: 'log',
    problem: `${eventType} of ${stream} is quarantined since ${at} (${reason}); it counts nowhere until it is released or discarded`,
  };
}

/**
 * Waits a few seconds for read models that have not processed all events. Read models that are still behind after the wait are compared
 * only up to their position.
 */
async function waitForReadModels(
  pool: Pool,
  head: Position | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (head === undefined) return;
  for (let waited = 0; waited < PATIENCE_MILLIS; waited += LOOK_MILLIS) {
    const checkpoints = await loadCheckpoints(pool);
    if (COMPARED_READ_MODELS.every((name) => (checkpoints.get(name)?.position ?? -1n) >= head)) return;
    await delay(LOOK_MILLIS, undefined, { signal });
  }
}
