import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  START,
  streamNameFilter,
  TimeoutError,
} from '@eventstore/db-client';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#libs/kernel/system';
import { isTransient } from '#libs/kernel/postgres';
import { type EventCodec } from './codec.js';
import type { Position, RecordedEvent } from '#libs/kernel/domain';
import { FeedBuffer, SubscriptionBroken, type FeedSource, type Taking } from './feed-buffer.js';
import { readEvents } from './metrics.js';
import { readInThread } from './reading-thread.js';

/** Some events in the log's order, and the position up to which everything has now been seen. */
export interface EventBatch {
  readonly events: RecordedEvent[];
  readonly position: Position;
}

/** The optional settings of a feed. */
export interface FeedOptions {
  /** Hears of breaks. */
  readonly logger?: Logger;
  /** The event store's, as `EVENTSTORE_URL` has it: long histories are then read in a thread of their own. */
  readonly url?: string;
}

/** Events in memory ahead of a reader that follows the log. */
const FOLLOWED_AHEAD = 4_096;

/** Batches in memory ahead of a reader of the history: one is dealt with while the next one comes. */
const BATCHES_AHEAD = 2;

/** The pause after a lost connection to the event store. */
const RETRY_MILLIS = 250;

/** Every stream but the system's own (`$…`). */
const NOT_SYSTEM = '^[^\\$].*';

/** Reads the log of all events from a position on, live when it is caught up, and again after every break. */
export class EventFeed {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly codec: EventCodec,
    private readonly options: FeedOptions = {},
  ) {}

  /**
   * Endless batches of at most `maxBatch` events after `after` (from the start if undefined). Everything that
   * has arrived goes into one batch and nothing is waited for, so latency is low and load makes batches large.
   * With `lingerMillis` a batch waits so long for more, for readers to whom each batch costs more than a moment.
   * Ends when `signal` is aborted. Rejects at an event that cannot be read, which would be no different the next time.
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
   * The events behind `after` (from the first if undefined) that the log has now, in full batches. Some batches are read ahead while one is
   * processed. Ends with the newest, or when `signal` is aborted; goes on after every break. Rejects as {@link batches} does. With `isLong`
   * it is read in a thread of its own, if the feed knows the event store's URL.
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

  /** The position of the newest event that is not the store's own; undefined if there is none. */
  async head(): Promise<Position | undefined> {
    let from: typeof END | { commit: bigint; prepare: bigint } = END;
    for (;;) {
      const read = [];
      // Read to its end: a read that is left half-way stays open on the server.
      for await (const { event } of this.client.readAll({
        direction: BACKWARDS,
        fromPosition: from,
        maxCount: 32,
      }))
        if (event) read.push(event);
      const newest = read.find((event) => !event.streamId.startsWith('$'));
      if (newest) return newest.position.commit;
      // A page begins with the event that the one before ended with.
      if (read.length < 2) return undefined;
      from = read.at(-1)!.position;
    }
  }

  private async *read(
    after: Position | undefined,
    taking: Taking,
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
          readEvents.inc(resolved.length);
          const wanted = resolved.filter(({ event }) => isWanted(event!, from));
          if (reached !== from) yield { events: await this.codec.decode(wanted), position: reached };
          position = reached;
        }
        if (source.ends) return;
      } catch (error) {
        if (!(error instanceof SubscriptionBroken) && !isTransient(error)) throw error;
        if (isReaderTooSlow(error) && position !== begun) continue;
        this.options.logger?.warn(
          { error: (error as Error).message },
          'reading events broke off, reading on',
        );
        await delay(RETRY_MILLIS, undefined, { signal }).catch(() => undefined);
      } finally {
        await buffer?.close();
      }
    }
  }

  /**
   * An EventStoreDB that is asked for what follows a position behind its end waits for the log to come to it, and says nothing. So this
   * throws {@link SubscriptionBroken}: events on the way there would be left out.
   */
  private async requireReached(position: Position | undefined, signal: AbortSignal): Promise<void> {
    if (position === undefined) return;
    const stream = this.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    const newest = new FeedBuffer(
      { stream, cancel: () => stream.cancel(), ends: true, highWater: 2 },
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

  /** The log behind a position, and what will come. */
  private follow(after: Position | undefined): FeedSource {
    const stream = this.client.subscribeToAll({
      fromPosition: fromPosition(after),
      filter: streamNameFilter({ regex: NOT_SYSTEM, checkpointInterval: 32 }),
    });
    return { stream, cancel: () => stream.unsubscribe(), ends: false, highWater: FOLLOWED_AHEAD };
  }

  /** The log from a position on, to its end of now. */
  private readOn(from: Position | undefined, highWater: number, isLong: boolean): FeedSource {
    const { url } = this.options;
    if (isLong && url !== undefined) return readInThread(url, from, highWater);
    const stream = this.client.readAll({ fromPosition: fromPosition(from) });
    return { stream, cancel: () => stream.cancel(), ends: true, highWater };
  }
}

/**
 * EventStoreDB ends a live subscription with ABORTED when a burst comes quicker than it is taken, which says nothing against the
 * store. Whoever has got on begins again at once.
 */
function isReaderTooSlow(error: unknown): boolean {
  return error instanceof SubscriptionBroken && error.cause instanceof TimeoutError;
}

function fromPosition(position: Position | undefined) {
  return position === undefined ? START : { commit: position, prepare: position };
}

/** A read, unlike a subscription, begins with the event at its position, and has the store's own events too. */
function isWanted(
  { streamId, position }: { streamId: string; position: { commit: Position } },
  after: Position | undefined,
): boolean {
  return (after === undefined || position.commit > after) && !streamId.startsWith('$');
}
