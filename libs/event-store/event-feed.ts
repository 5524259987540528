import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
} from '@eventstore/db-client';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#libs/core';
import { isTransient } from '#libs/postgres';
import { type EventCodec } from './codec.js';
import type { Position, RecordedEvent } from './event.js';
import { readEvents } from './metrics.js';

/** Some events in the log's order, and the position up to which everything has now been seen. */
export interface EventBatch {
  readonly events: RecordedEvent[];
  readonly position: Position;
}

/** The event store ended the subscription, or went away. */
class SubscriptionBroken extends Error {}

/** Pause reading at this many events in memory, go on at half of it: a slow reader costs no more than this. */
const HIGH_WATER = 4_096;

/** Every stream but the system's own (`$…`). */
const NOT_SYSTEM = '^[^\\$].*';

/** Reads the log of all events from a position on, live when it is caught up, and again after every break. */
export class EventFeed {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly codec: EventCodec,
    private readonly logger?: Logger,
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
    let position = after;
    while (!signal.aborted) {
      const buffer = new FeedBuffer(this.subscribe(position), signal);
      try {
        for await (const { resolved, position: reached } of buffer.batches(maxBatch, lingerMillis)) {
          readEvents.inc(resolved.length);
          yield { events: await this.codec.decode(resolved), position: reached };
          position = reached;
        }
      } catch (error) {
        if (!(error instanceof SubscriptionBroken) && !isTransient(error)) throw error;
        this.logger?.warn({ error: (error as Error).message }, 'event subscription broke, subscribing again');
        await delay(250, undefined, { signal }).catch(() => undefined);
      } finally {
        await buffer.close();
      }
    }
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

  private subscribe(after: Position | undefined): AllStreamSubscription {
    return this.client.subscribeToAll({
      fromPosition: after === undefined ? START : { commit: after, prepare: after },
      filter: streamNameFilter({ regex: NOT_SYSTEM, checkpointInterval: 32 }),
    });
  }
}

/** Collects what a subscription pushes until the reader comes for it. */
class FeedBuffer {
  private events: AllStreamResolvedEvent[] = [];
  private failure: Error | undefined;
  private wake: (() => void) | undefined;
  private ended = false;

  constructor(
    private readonly subscription: AllStreamSubscription,
    private readonly signal: AbortSignal,
  ) {
    subscription.on('data', (event) => {
      this.events.push(event);
      if (this.events.length >= HIGH_WATER) subscription.pause();
      this.wake?.();
    });
    subscription.on('error', (error) => this.stop(error.message, error));
    subscription.on('end', () => this.stop('the event store ended the subscription'));
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  async *batches(
    maxBatch: number,
    lingerMillis: number,
  ): AsyncGenerator<{ resolved: AllStreamResolvedEvent[]; position: Position }> {
    for (;;) {
      while (this.events.length === 0) {
        if (this.failure) throw this.failure;
        if (this.ended || this.signal.aborted) return;
        await new Promise<void>((resolve) => (this.wake = resolve));
        this.wake = undefined;
      }
      if (lingerMillis > 0 && this.events.length < maxBatch)
        await delay(lingerMillis, undefined, { signal: this.signal }).catch(() => undefined);
      const resolved = this.events.splice(0, maxBatch);
      if (this.events.length <= HIGH_WATER / 2 && this.subscription.isPaused()) this.subscription.resume();
      yield { resolved, position: resolved.at(-1)!.event!.position.commit };
    }
  }

  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    await this.subscription.unsubscribe().catch(() => undefined);
  }

  private readonly onAbort = (): void => {
    this.ended = true;
    this.wake?.();
  };

  private stop(message: string, cause?: Error): void {
    this.failure ??= new SubscriptionBroken(message, { cause });
    this.wake?.();
  }
}
