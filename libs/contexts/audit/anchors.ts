import {
  BACKWARDS,
  END,
  NO_STREAM,
  WrongExpectedVersionError,
  type EventStoreDBClient,
  type ReadStreamOptions,
} from '@eventstore/db-client';
import { deriveUuid, type Instant } from '#libs/kernel/core';
import { StreamReader, systemContext, type EventCodec } from '#libs/kernel/event-store';
import { type Recorded } from '#libs/kernel/domain';
import { auditAnchorDecider } from './anchor.js';
import type { AuditAnchor, AuditEvent } from './events.js';

/** Used in place of a workspace id, because the log has one audit trail for all workspaces. */
const NO_WORKSPACE = 'system';
const STREAM = `${auditAnchorDecider.category}-anchors`;
const PAGE = 1_000;

/** An anchor as it is stored. */
export type RecordedAnchor = Recorded<AuditEvent>;

/** The last event of the stream of anchors. The next anchor is appended after the newest anchor. */
export type NewestAnchor = Pick<RecordedAnchor, 'data' | 'revision'>;

/**
 * Reads and appends to the stream of anchors. This class does not use the AggregateStore, because that reads a stream from its beginning.
 * The stream of anchors gets an event for every minute with activity, and an append needs only the end of the stream.
 */
export class AuditAnchors {
  private readonly streams: StreamReader;

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly codec: EventCodec,
  ) {
    this.streams = new StreamReader(client, codec);
  }

  /** Returns the newest anchor. Undefined before the first anchor. */
  async newest(): Promise<NewestAnchor | undefined> {
    return (await this.read({ direction: BACKWARDS, fromRevision: END, maxCount: 1 }))[0];
  }

  /** Every anchor, oldest first. */
  async *all(): AsyncGenerator<RecordedAnchor> {
    for (let from = 0n; ; from += BigInt(PAGE)) {
      const page = await this.read({ fromRevision: from, maxCount: PAGE });
      yield* page;
      if (page.length < PAGE) return;
    }
  }

  /**
   * Appends `anchor` after `newest`, with the machine's time `now`. Returns undefined if `anchor` is not newer than `newest`, or if another
   * process has appended an anchor meanwhile.
   */
  async append(
    anchor: AuditAnchor,
    newest: NewestAnchor | undefined,
    now: Instant,
  ): Promise<NewestAnchor | undefined> {
    const events = auditAnchorDecider.decide({ type: 'AnchorAuditTrail', anchor }, newest?.data);
    if (events.length === 0) return undefined;
    const commandId = deriveUuid('anchor audit', String(anchor.sequence), anchor.hash);
    const context = systemContext({ workspaceId: NO_WORKSPACE, now, process: 'audit', commandId });
    try {
      const { nextExpectedRevision: revision } = await this.client.appendToStream(
        STREAM,
        await this.codec.encode(events, STREAM, context),
        { expectedRevision: newest?.revision ?? NO_STREAM },
      );
      return { data: anchor, revision };
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return undefined;
      throw error;
    }
  }

  private async read(options: ReadStreamOptions): Promise<RecordedAnchor[]> {
    return (await this.streams.read(STREAM, options)) as RecordedAnchor[];
  }
}
