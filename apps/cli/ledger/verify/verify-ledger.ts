import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ChainLink } from '#libs/contexts/audit';
import { UnreadableEvent } from '#libs/kernel/event-store';
import { type Position } from '#libs/kernel/domain';
import { loadCheckpoints } from '#libs/kernel/projection';
import { auditProjection } from '#projections/audit';
import { invoicesProjection } from '#projections/invoices';
import { ledgerProjection } from '#projections/ledger';
import { startProgress, type Progress } from '../../progress.js';
import type { ConnectedSettings } from '../../start/running-instance.js';
import type { Difference } from './difference.js';
import { ReadSide } from './read-side.js';
import { openSources, type Sources } from './sources.js';
import { Verification } from './verification.js';

/** The result of a verification, as counts and positions. */
export interface Verified {
  /** The position of the last event in the log; undefined if the log is empty. */
  readonly head: Position | undefined;
  /** The position that all compared read models have reached. They were compared with the events up to there. */
  readonly shown: Position;
  readonly events: number;
  readonly invoices: number;
  readonly entries: number;
  readonly anchors: number;
  /** The newest link of the audit trail's chain, computed from the events. An auditor can store it and compare it later. */
  readonly newest: ChainLink;
  readonly differences: number;
}

const COMPARED = [auditProjection.name, invoicesProjection.name, ledgerProjection.name];
/** How long to wait for the read models to reach the end of the log. */
const PATIENCE_MILLIS = 5_000;
const LOOK_MILLIS = 50;

/**
 * Verifies the books against the event store. It computes each invoice again. It compares the read models of invoices, ledger and audit
 * trail with the events, and checks the audit trail's chain and anchors. It reads the log once and writes nothing. Each difference is
 * reported as soon as it is found. A progress bar is shown on `output`.
 */
export async function verifyLedger(
  settings: ConnectedSettings,
  report: (difference: Difference) => void,
  output: NodeJS.WriteStream,
): Promise<Verified> {
  const sources = await openSources(settings);
  try {
    await untilShown(sources.pool, await sources.feed.head());
    const readSide = await ReadSide.open(sources.pool);
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
  sources: Sources,
  readSide: ReadSide,
  report: (difference: Difference) => void,
  output: NodeJS.WriteStream,
): Promise<Verified> {
  const head = await sources.feed.head();
  const progress = startProgress(Number(head ?? 0n), 'events', output);
  const verification = new Verification(sources, readSide, (difference) =>
    progress.interrupt(() => report(difference)),
  );
  try {
    if (head !== undefined) await readTo(head, sources, verification, progress);
    await verification.end(head ?? -1n);
  } catch (error) {
    // An unreadable event is reported as a difference. The events after it cannot be verified.
    if (!(error instanceof UnreadableEvent)) throw error;
    verification.tell([
      {
        position: error.position,
        subject: 'log',
        problem: `${error.message}; the events after it were not verified`,
      },
    ]);
  } finally {
    progress.stop();
  }
  const { events, invoices, entries, anchors, newest, differences } = verification;
  const shown = COMPARED.map((name) => readSide.reached(name)).reduce((a, b) => (a < b ? a : b));
  return { head, shown, events, invoices, entries, anchors, newest, differences };
}

async function readTo(
  head: Position,
  { log }: Sources,
  verification: Verification,
  progress: Progress,
): Promise<void> {
  for await (const events of log(head)) {
    await verification.take(events);
    progress.update(Number(events.at(-1)?.position ?? head), verification.events);
  }
}

/** Waits a few seconds for read models that are behind. If they stay behind, they are compared only up to their position. */
async function untilShown(pool: Pool, head: Position | undefined): Promise<void> {
  if (head === undefined) return;
  for (let waited = 0; waited < PATIENCE_MILLIS; waited += LOOK_MILLIS) {
    const checkpoints = await loadCheckpoints(pool);
    if (COMPARED.every((name) => (checkpoints.get(name)?.position ?? -1n) >= head)) return;
    await delay(LOOK_MILLIS);
  }
}
