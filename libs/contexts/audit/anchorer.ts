import { BackgroundWorker } from '#libs/kernel/app';
import { repeatWork, systemClock, type Logger } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import type { RecordedEvent } from '#libs/kernel/domain';
import type { AuditAnchors, NewestAnchor } from './anchors.js';
import { CHAIN_START, nextLink } from './chain.js';
import type { AuditAnchor } from './events.js';

/** The maximum number of entries between two anchors. */
const ENTRIES_PER_ANCHOR = 1_000;
/** The maximum time until an entry is anchored. */
const INTERVAL_MILLIS = 60_000;
const BATCH = 1_000;

/**
 * Anchors the chain of the audit trail in the event store at intervals. The anchorer computes the chain from the events and never reads the
 * read model, so a forged read model cannot get into an anchor. It continues from the newest anchor, so it stores no other state. Several
 * processes can run an anchorer. If they anchor the same entry, only one anchor is appended.
 */
export class AuditAnchorer extends BackgroundWorker {
  override readonly name = 'audit';

  constructor(
    private readonly anchors: AuditAnchors,
    private readonly feed: EventFeed,
    private readonly isEntry: (event: RecordedEvent) => boolean,
    private readonly entriesPerAnchor = ENTRIES_PER_ANCHOR,
  ) {
    super();
  }

  /** Runs until `signal` is aborted. If an anchoring fails, the next interval tries again. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    await repeatWork(
      signal,
      INTERVAL_MILLIS,
      () => this.anchor(signal),
      (error) => logger.warn({ err: error }, 'anchoring the audit trail failed, trying again'),
    );
  }

  /** Anchors all entries that exist now. */
  async anchor(signal: AbortSignal): Promise<void> {
    let newest: NewestAnchor | undefined = await this.anchors.newest();
    for await (const anchor of this.due(newest?.data, signal)) {
      newest = await this.anchors.append(anchor, newest, systemClock.now());
      // Another process is anchoring, and will continue.
      if (newest === undefined) return;
    }
  }

  /** The anchors that are due after `newest`: one after each `entriesPerAnchor` entries, and one at the last entry. */
  private async *due(newest: AuditAnchor | undefined, signal: AbortSignal): AsyncGenerator<AuditAnchor> {
    let anchored = newest?.sequence ?? 0;
    let latest = newest;
    for await (const event of this.entriesAfter(newest, signal)) {
      const { sequence, hash } = nextLink(latest ?? CHAIN_START, event);
      latest = { sequence, hash, position: event.position.toString() };
      if (sequence - anchored < this.entriesPerAnchor) continue;
      yield latest;
      anchored = sequence;
    }
    if (latest !== undefined && latest.sequence > anchored) yield latest;
  }

  /** The events of all entries that exist now. Rejects if it meets an event that only a newer version of this program can classify. */
  private async *entriesAfter(
    newest: AuditAnchor | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<RecordedEvent> {
    const head = await this.feed.head();
    const from = newest && BigInt(newest.position);
    if (head === undefined || head === from) return;
    for await (const { events, position } of this.feed.batches(from, BATCH, signal)) {
      yield* events.filter(this.isEntry);
      if (position >= head) return;
    }
  }
}
