import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ChainLink } from '#libs/contexts/audit';
import { UnreadableEvent } from '#libs/kernel/event-store';
import { quarantinedNow, type Position, type QuarantineEntry } from '#libs/kernel/domain';
import { loadCheckpoints } from '#libs/kernel/projection';
import { auditProjection } from '#projections/audit';
import { invoicesProjection } from '#projections/invoices';
import { ledgerProjection } from '#projections/ledger';
import { startProgress, type Progress } from '../../progress.js';
import type { SettingsWithServerUrls } from '../../start/running-instance.js';
import type { LedgerDifference } from './difference.js';
import { ReadModelSnapshot } from './read-model-snapshot.js';
import { openVerifySources, type VerifySources } from './verify-sources.js';
import { LedgerVerificationRun } from './ledger-verification-run.js';

/** The result of a verification, as counts and positions. */
export interface LedgerVerification {
  /** The position of the last event in the log; undefined if the log is empty. */
  readonly head: Position | undefined;
  /** The position that all compared read models have reached. The read models were compared with the events up to this position. */
  readonly readModelPosition: Position;
  readonly eventCount: number;
  readonly invoiceCount: number;
  /** The number of entries of the audit trail. */
  readonly auditEntryCount: number;
  /** The number of anchors of the audit trail's chain. */
  readonly anchorCount: number;
  /** The newest link of the audit trail's chain, computed from the events. An auditor can store the newest link and compare it later. */
  readonly newestLink: ChainLink;
  /** The number of differences that were found. */
  readonly differenceCount: number;
}

const COMPARED_READ_MODELS = [auditProjection.name, invoicesProjection.name, ledgerProjection.name];
/** The time to wait for the read models to reach the end of the log. */
const PATIENCE_MILLIS = 5_000;
const LOOK_MILLIS = 50;

/**
 * Verifies the books against the event store. Computes each invoice and each accrual of unbilled revenue again. Compares the read models of
 * invoices, ledger and audit trail with the events, and the figures of closed months with the ledger. Measures the unbilled revenue of closed months again. Checks the audit trail's chain and
 * anchors. Reads the log once and writes nothing. Each quarantined event is a difference. If another event of the log cannot be read, the events after it are not
 * verified. Each difference is reported as soon as it is found. A progress bar is shown on `output`.
 */
export async function verifyLedger(
  settings: SettingsWithServerUrls,
  report: (difference: LedgerDifference) => void,
  output: NodeJS.WriteStream,
): Promise<LedgerVerification> {
  const sources = await openVerifySources(settings);
  try {
    await waitForReadModels(sources.pool, await sources.feed.readHead());
    const readSide = await ReadModelSnapshot.open(sources.pool);
    try {
      return await verify(sources, readSide, report, output);
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
  report: (difference: LedgerDifference) => void,
  output: NodeJS.WriteStream,
): Promise<LedgerVerification> {
  const head = await sources.feed.readHead();
  const progress = startProgress(Number(head ?? 0n), 'events', output);
  const verification = new LedgerVerificationRun(sources, readSide, (difference) =>
    progress.interrupt(() => report(difference)),
  );
  try {
    verification.reportDifferences(
      quarantinedNow(await sources.quarantine.reload()).map(quarantinedDifference),
    );
    if (head !== undefined) await readTo(head, sources, verification, progress);
    await verification.finish(head ?? -1n);
  } catch (error) {
    // An unreadable event is reported as a difference. The events after it cannot be verified.
    if (!(error instanceof UnreadableEvent)) throw error;
    verification.reportDifferences([
      {
        position: error.position,
        subject: 'log',
        problem: `${error.message}; the events after it were not verified`,
      },
    ]);
  } finally {
    progress.stop();
  }
  const shown = COMPARED_READ_MODELS.map((name) => readSide.positionOf(name)).reduce((a, b) =>
    a < b ? a : b,
  );
  return {
    head,
    readModelPosition: shown,
    eventCount: verification.eventCount,
    invoiceCount: verification.invoiceCount,
    auditEntryCount: verification.auditEntryCount,
    anchorCount: verification.anchorCount,
    newestLink: verification.newestLink,
    differenceCount: verification.differenceCount,
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

async function readTo(
  head: Position,
  { log }: VerifySources,
  verification: LedgerVerificationRun,
  progress: Progress,
): Promise<void> {
  for await (const events of log(head)) {
    await verification.checkEvents(events);
    progress.update(Number(events.at(-1)?.position ?? head), verification.eventCount);
  }
}

/**
 * Waits a few seconds for read models that have not processed all events. Read models that are still behind after the wait are compared
 * only up to their position.
 */
async function waitForReadModels(pool: Pool, head: Position | undefined): Promise<void> {
  if (head === undefined) return;
  for (let waited = 0; waited < PATIENCE_MILLIS; waited += LOOK_MILLIS) {
    const checkpoints = await loadCheckpoints(pool);
    if (COMPARED_READ_MODELS.every((name) => (checkpoints.get(name)?.position ?? -1n) >= head)) return;
    await delay(LOOK_MILLIS);
  }
}
