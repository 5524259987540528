import type { AllStreamResolvedEvent } from '@eventstore/db-client';
import { setTimeout as delay } from 'node:timers/promises';
import type { Position } from '#libs/kernel/domain';

/** The event store ended the subscription, or went away. */
export class SubscriptionBroken extends Error {}

/** What reads came to an end by itself, which would be no different the next time. */
export class ReaderFailed extends Error {}

/** Events as they came, and the position of the last of them. */
export interface ResolvedBatch {
  resolved: AllStreamResolvedEvent[];
  position: Position;
}

/** What a read and a subscription of the official client have in common. */
interface EventStream {
  on(event: 'data', listener: (event: AllStreamResolvedEvent) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
}

/** What events are taken from, and how. */
export interface FeedSource {
  stream: EventStream;
  /** Tells the server that no more are wanted. */
  cancel(): Promise<void>;
  /** Whether the end of the stream is that of what was asked for; otherwise it is a failure. */
  ends: boolean;
  /** Pause reading at this many events in memory, go on at half of it: a slow reader costs no more than this. */
  highWater: number;
}

/** How much is taken at a time. */
export interface Taking {
  /** Most events in a batch. */
  max: number;
  /** Fewest, unless there are no more: 1 for whoever must not wait. */
  min: number;
  /** How long a batch waits for more. */
  lingerMillis?: number;
}

/** Collects what the event store pushes until the reader comes for it. */
export class FeedBuffer {
  private events: AllStreamResolvedEvent[] = [];
  private failure: Error | undefined;
  private wake: (() => void) | undefined;
  private awaited = 1;
  private ended = false;

  constructor(
    private readonly source: FeedSource,
    private readonly signal: AbortSignal,
  ) {
    const { stream, ends, highWater } = source;
    stream.on('data', (event) => {
      this.events.push(event);
      if (this.events.length >= highWater) stream.pause();
      if (this.events.length >= this.awaited) this.wake?.();
    });
    stream.on('error', (error) => this.fail(asBroken(error)));
    stream.on('end', () =>
      ends ? this.end() : this.fail(new SubscriptionBroken('the event store ended the subscription')),
    );
    signal.addEventListener('abort', this.end, { once: true });
  }

  /** What has come, in order, until the end. Throws when the event store has failed and all that came was taken. */
  async *batches({ max, min, lingerMillis = 0 }: Taking): AsyncGenerator<ResolvedBatch> {
    const { stream, highWater } = this.source;
    for (;;) {
      await this.until(min);
      if (this.events.length === 0) {
        if (this.failure) throw this.failure;
        return;
      }
      if (lingerMillis > 0 && this.events.length < max)
        await delay(lingerMillis, undefined, { signal: this.signal }).catch(() => undefined);
      const resolved = this.events.splice(0, max);
      if (this.events.length <= highWater / 2 && stream.isPaused()) stream.resume();
      yield { resolved, position: resolved.at(-1)!.event!.position.commit };
    }
  }

  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.end);
    await this.source.cancel().catch(() => undefined);
  }

  /** Waits for so many events, or for the end or a failure. */
  private async until(count: number): Promise<void> {
    this.awaited = count;
    while (this.events.length < count && !this.failure && !this.ended && !this.signal.aborted) {
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = undefined;
    }
  }

  private readonly end = (): void => {
    this.ended = true;
    this.wake?.();
  };

  private fail(error: Error): void {
    this.failure ??= error;
    this.wake?.();
  }
}

/** What a stream says of the event store passes; what it says of itself does not. */
function asBroken(error: Error): Error {
  return error instanceof ReaderFailed ? error : new SubscriptionBroken(error.message, { cause: error });
}
