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

/** What was verified, in numbers. */
export interface Verified {
  /** The last event that there was; undefined of an empty log. */
  readonly head: Position | undefined;
  /** The last event that all read models had: they were compared by what was up to there. */
  readonly shown: Position;
  readonly events: number;
  readonly invoices: number;
  readonly entries: number;
  readonly anchors: number;
  /** Where the chain of the audit trail stands, as the events have it: noted elsewhere, it can be compared with later. */
  readonly newest: ChainLink;
  readonly differences: number;
}

const COMPARED = [auditProjection.name, invoicesProjection.name, ledgerProjection.name];
/** How long the read models may take to come to where the log is. */
const PATIENCE_MILLIS = 5_000;
const LOOK_MILLIS = 50;

/**
 * Verifies what was billed, out of the event store itself: each invoice is computed again, and the read models that finance
 * looks at, the audit trail with its chain and its anchors are compared with what the events make of them. Reads the
 * log once, writes nothing, and reports each difference when it is found. A progress bar is shown on `output`.
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
    // What cannot be read is no fault of this program, and nothing behind it can be judged.
    if (!(error instanceof UnreadableEvent)) throw error;
    verification.tell([
      {
        position: error.position,
        subject: 'log',
        problem: `${error.message}; what follows was not verified`,
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

/** Waits for read models that are just behind; those that stay behind are compared by what they have. */
async function untilShown(pool: Pool, head: Position | undefined): Promise<void> {
  if (head === undefined) return;
  for (let waited = 0; waited < PATIENCE_MILLIS; waited += LOOK_MILLIS) {
    const checkpoints = await loadCheckpoints(pool);
    if (COMPARED.every((name) => (checkpoints.get(name)?.position ?? -1n) >= head)) return;
    await delay(LOOK_MILLIS);
  }
}
