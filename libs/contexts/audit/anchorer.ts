import { BackgroundWorker } from '#libs/kernel/app';
import { repeatWork, systemClock, type Logger } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import type { RecordedEvent } from '#libs/kernel/domain';
import type { AuditAnchors, NewestAnchor } from './anchors.js';
import { CHAIN_START, nextLink } from './chain.js';
import type { AuditAnchor } from './events.js';

/** The maximum number of audit entries between two anchors. */
const ENTRIES_PER_ANCHOR = 1_000;
/** The maximum time until a new audit entry is covered by an anchor. */
const INTERVAL_MILLIS = 60_000;
const BATCH = 1_000;

/**
 * At intervals, writes anchors of the audit trail's hash chain to the event store. The anchorer computes the chain from the events and
 * never reads the read model, so a forged read model cannot get into an anchor. The anchorer continues from the newest anchor, so it stores
 * no other state. Several processes can run an anchorer. If several processes anchor the same entry, only one anchor is appended.
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

  /** Runs until `signal` is aborted. If writing an anchor fails, the anchorer tries again at the next interval. */
  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    await repeatWork(
      signal,
      INTERVAL_MILLIS,
      () => this.anchor(signal),
      (error) => logger.warn({ err: error }, 'anchoring the audit trail failed, trying again'),
    );
  }

  /** Anchors all audit entries that exist now. */
  async anchor(signal: AbortSignal): Promise<void> {
    let newest: NewestAnchor | undefined = await this.anchors.newest();
    for await (const anchor of this.due(newest?.data, signal)) {
      newest = await this.anchors.append(anchor, newest, systemClock.now());
      // Another process is anchoring, and will continue.
      if (newest === undefined) return;
    }
  }

  /** The anchors to write after `newest`: one after each `entriesPerAnchor` entries, and one at the last entry. */
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

  /**
   * The events of all audit entries that exist now. Throws an error at an event that only a newer version of this program can classify.
   */
  private async *entriesAfter(
    newest: AuditAnchor | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<RecordedEvent> {
    const head = await this.feed.readHead();
    const from = newest && BigInt(newest.position);
    if (head === undefined || head === from) return;
    for await (const { events, position } of this.feed.batches(from, BATCH, signal)) {
      yield* events.filter(this.isEntry);
      if (position >= head) return;
    }
  }
}
