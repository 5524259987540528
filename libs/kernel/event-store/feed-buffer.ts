import type { AllStreamResolvedEvent } from '@eventstore/db-client';
import type { Position } from '#libs/kernel/domain';
import { sleep } from '#libs/kernel/system';

/** The event store ended the subscription, or the connection to the event store was lost. */
export class SubscriptionBroken extends Error {}

/** A permanent failure of the reader itself, for which a retry would fail again. */
export class ReaderFailed extends Error {}

/** The received events, and the position of the last received event. */
export interface ResolvedBatch {
  resolved: AllStreamResolvedEvent[];
  position: Position;
}

/** The common interface of a read and a subscription of the official client. */
interface EventStream {
  on(event: 'data', listener: (event: AllStreamResolvedEvent) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
}

/** The stream that a buffer takes events from. */
export interface FeedSource {
  stream: EventStream;
  /** Tells the server to send no more events. */
  cancel(): Promise<void>;
  /** True if the stream is expected to end. If false, the end of the stream is a failure. */
  isEndExpected: boolean;
  /**
   * Reading pauses at this number of events in memory, and continues at half this number. The pause limits the memory that a slow reader
   * needs.
   */
  highWater: number;
}

/** The number of events that a reader takes at a time. */
export interface BatchSize {
  /** The largest number of events in a batch. */
  max: number;
  /** The smallest number of events, unless the stream has ended. The minimum is 1 for a reader that must not wait. */
  min: number;
  /** The time that an incomplete batch waits for more events, in milliseconds. */
  lingerMillis?: number;
}

/** Collects the events that the event store pushes until the reader takes them. */
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
    const { stream, isEndExpected: ends, highWater } = source;
    stream.on('data', (event) => {
      this.events.push(event);
      if (this.events.length >= highWater) stream.pause();
      if (this.events.length >= this.awaited) this.wake?.();
    });
    stream.on('error', (error) => this.fail(toSubscriptionError(error)));
    stream.on('end', () =>
      ends ? this.end() : this.fail(new SubscriptionBroken('the event store ended the subscription')),
    );
    signal.addEventListener('abort', this.end, { once: true });
  }

  /**
   * Yields the received events in order, until the stream ends. If the event store has failed, the generator throws after all received
   * events were taken.
   */
  async *batches({ max, min, lingerMillis = 0 }: BatchSize): AsyncGenerator<ResolvedBatch> {
    const { stream, highWater } = this.source;
    for (;;) {
      await this.until(min);
      if (this.events.length === 0) {
        if (this.failure) throw this.failure;
        return;
      }
      if (lingerMillis > 0 && this.events.length < max) await sleep(lingerMillis, this.signal);
      const resolved = this.events.splice(0, max);
      if (this.events.length <= highWater / 2 && stream.isPaused()) stream.resume();
      yield { resolved, position: resolved.at(-1)!.event!.position.commit };
    }
  }

  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.end);
    await this.source.cancel().catch(() => undefined);
  }

  /** Waits until this number of events has arrived, the stream has ended, or reading has failed. */
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

/**
 * An error about the event store is treated as a broken connection. An error of the reader itself is not treated as a broken connection.
 */
function toSubscriptionError(error: Error): Error {
  return error instanceof ReaderFailed ? error : new SubscriptionBroken(error.message, { cause: error });
}
