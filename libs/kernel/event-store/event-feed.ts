import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  START,
  streamNameFilter,
  TimeoutError,
} from '@eventstore/db-client';
import { sleep, type Logger } from '#libs/kernel/system';
import { isTransient } from '#libs/kernel/postgres';
import { type EventCodec } from './codec.js';
import type { Position, RecordedEvent } from '#libs/kernel/domain';
import { FeedBuffer, SubscriptionBroken, type FeedSource, type BatchSize } from './feed-buffer.js';
import { LogReach } from './log-reach.js';
import { eventsReadFromLog } from './metrics.js';
import { readEvents } from './leader-client.js';
import { readInThread } from './reading-thread.js';
import { toEventStoreUnavailable } from './unavailable.js';

/** Events in the order of the log, and the position up to which everything has been read. */
export interface EventBatch {
  readonly events: RecordedEvent[];
  readonly position: Position;
}

/** The optional settings of a feed. */
export interface FeedOptions {
  /** The logger that gets a line for each broken connection. */
  readonly logger?: Logger;
  /** The URL of the event store, as in `EVENTSTORE_URL`. If the URL is given, a separate thread reads long histories. */
  readonly url?: string;
}

/** The largest number of events in memory that wait for a reader of new events. */
const FOLLOWED_AHEAD = 4_096;

/** A reader of the history has this many batches in memory: it processes one batch while the next one arrives. */
const BATCHES_AHEAD = 2;

/** The pause after a lost connection to the event store. */
const RETRY_MILLIS = 250;

/** Matches every stream except the system streams (`$…`). */
const NOT_SYSTEM = '^[^\\$].*';

/** Reads the log of all events from a position on. The feed continues live at the end of the log, and reconnects after every break. */
export class EventFeed {
  private readonly reach: LogReach;

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly codec: EventCodec,
    private readonly options: FeedOptions = {},
  ) {
    this.reach = new LogReach(client);
  }

  /**
   * Resolves when the event store answers with the events up to `position`, which another process may have read from another node. Throws
   * Unavailable if the event store does not answer, or if `signal` is aborted before.
   */
  async waitUntilReadable(position: Position, signal: AbortSignal): Promise<void> {
    await this.reach.waitFor(position, signal);
  }

  /**
   * Yields batches of at most `maxBatch` events, without an end. The first event is the one after the position `after`, or the first one of
   * the log if `after` is undefined. A batch has all events that have arrived, and by default does not wait for more events. Without a
   * wait, the latency is low, and batches are still large under high load, because many events arrive at a time. `lingerMillis` makes a
   * batch wait for more events, for readers to whom each batch is expensive. Ends when `signal` is aborted. Rejects if an event cannot be
   * read and is not quarantined, because a retry would also fail.
   */
  async *batches(
    after: Position | undefined,
    maxBatch: number,
    signal: AbortSignal,
    lingerMillis = 0,
  ): AsyncGenerator<EventBatch> {
    const taking = { max: maxBatch, min: 1, lingerMillis };
    yield* this.read(after, taking, signal, (position) => this.follow(position));
  }

  /**
   * Yields the events that are already in the log, beginning after the position `after`, or with the first event if `after` is undefined.
   * Every batch except the last covers `batch` events of the log. A batch has fewer events if some of them are system events, or if the
   * connection was lost. Further batches are read ahead while the caller processes a batch. Ends after the newest event, or when `signal`
   * is aborted. Continues after every lost connection. Rejects as {@link batches} does. If `isLong` is true and the feed has the URL of the
   * event store, a separate thread reads.
   */
  async *history(
    after: Position | undefined,
    batch: number,
    signal: AbortSignal,
    isLong = false,
  ): AsyncGenerator<EventBatch> {
    const taking = { max: batch, min: batch };
    yield* this.read(after, taking, signal, (position) =>
      this.readOn(position, batch * BATCHES_AHEAD, isLong),
    );
  }

  /** The position of the newest event that is not a system event; undefined if there is none. */
  async readHead(): Promise<Position | undefined> {
    let from: typeof END | { commit: bigint; prepare: bigint } = END;
    for (;;) {
      const start: typeof END | { commit: bigint; prepare: bigint } = from;
      // A read must be finished, because an unfinished read stays open on the server.
      const resolved: AllStreamResolvedEvent[] = await readEvents(() =>
        this.client.readAll({ direction: BACKWARDS, fromPosition: start, maxCount: 32 }),
      );
      const read = resolved.flatMap(({ event }) => event ?? []);
      const newest = read.find((event) => !event.streamId.startsWith('$'));
      if (newest) return newest.position.commit;
      // A page begins with the last event of the previous page.
      if (read.length < 2) return undefined;
      from = read.at(-1)!.position;
    }
  }

  private async *read(
    after: Position | undefined,
    taking: BatchSize,
    signal: AbortSignal,
    sourceAfter: (position: Position | undefined) => FeedSource,
  ): AsyncGenerator<EventBatch> {
    let position = after;
    while (!signal.aborted) {
      let buffer: FeedBuffer | undefined;
      const begun = position;
      try {
        await this.requireReached(position, signal);
        const source = sourceAfter(position);
        buffer = new FeedBuffer(source, signal);
        for await (const { resolved, position: reached } of buffer.batches(taking)) {
          const from = position;
          eventsReadFromLog.inc(resolved.length);
          this.reach.note(reached);
          const wanted = resolved.filter(({ event }) => isWanted(event!, from));
          if (reached !== from) yield { events: await this.decoded(wanted), position: reached };
          position = reached;
        }
        if (source.isEndExpected) return;
      } catch (error) {
        if (!(error instanceof SubscriptionBroken) && !isTransient(error)) throw error;
        if (isReaderTooSlow(error) && position !== begun) continue;
        this.options.logger?.warn(
          { error: (error as Error).message },
          'reading events was interrupted, continuing',
        );
        await sleep(RETRY_MILLIS, signal);
      } finally {
        await buffer?.close();
      }
    }
  }

  /** Decodes the events. The list of quarantined events can be unreachable, like the log. */
  private async decoded(resolved: AllStreamResolvedEvent[]): Promise<RecordedEvent[]> {
    try {
      return await this.codec.decodeLog(resolved);
    } catch (error) {
      const unavailable = toEventStoreUnavailable(error);
      throw unavailable ? new SubscriptionBroken(unavailable.message, { cause: error }) : error;
    }
  }

  /**
   * Throws {@link SubscriptionBroken} if the log ends before `position`. EventStoreDB accepts a subscription that begins beyond the end of
   * the log, and silently waits until the log reaches that position. Such a subscription would miss the events up to that position.
   */
  private async requireReached(position: Position | undefined, signal: AbortSignal): Promise<void> {
    if (position === undefined) return;
    const stream = this.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    const newest = new FeedBuffer(
      { stream, cancel: () => stream.cancel(), isEndExpected: true, highWater: 2 },
      signal,
    );
    let end: Position | undefined;
    try {
      for await (const batch of newest.batches({ max: 1, min: 1 })) end = batch.position;
    } finally {
      await newest.close();
    }
    if (signal.aborted || (end !== undefined && end >= position)) return;
    throw new SubscriptionBroken(
      `the log ends ${end === undefined ? 'without an event' : `at position ${end}`}, before ${position}, up to which it was read: ` +
        'this is another event store, or an older copy of it',
    );
  }

  /** Returns the stored events after a position, and then each new event as it is appended. */
  private follow(after: Position | undefined): FeedSource {
    const stream = this.client.subscribeToAll({
      fromPosition: fromPosition(after),
      filter: streamNameFilter({ regex: NOT_SYSTEM, checkpointInterval: 32 }),
    });
    return { stream, cancel: () => stream.unsubscribe(), isEndExpected: false, highWater: FOLLOWED_AHEAD };
  }

  /** The events from a position on, up to the present end of the log. */
  private readOn(from: Position | undefined, highWater: number, isLong: boolean): FeedSource {
    const { url } = this.options;
    if (isLong && url !== undefined) return readInThread(url, from, highWater);
    const stream = this.client.readAll({ fromPosition: fromPosition(from) });
    return { stream, cancel: () => stream.cancel(), isEndExpected: true, highWater };
  }
}

/**
 * EventStoreDB ends a live subscription with ABORTED if events arrive faster than they are read. ABORTED for a slow reader is not an error
 * of the event store. After ABORTED, a reader that has made progress therefore subscribes again at once.
 */
function isReaderTooSlow(error: unknown): boolean {
  return error instanceof SubscriptionBroken && error.cause instanceof TimeoutError;
}

function fromPosition(position: Position | undefined) {
  return position === undefined ? START : { commit: position, prepare: position };
}

/**
 * Tells whether an event belongs to the feed. Unlike a subscription, a read returns the event at its start position, and system events,
 * which do not belong to the feed.
 */
function isWanted(
  { streamId, position }: { streamId: string; position: { commit: Position } },
  after: Position | undefined,
): boolean {
  return (after === undefined || position.commit > after) && !streamId.startsWith('$');
}
