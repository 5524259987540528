import { BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client';
import { Unavailable } from '#libs/kernel/core';
import type { Position } from '#libs/kernel/domain';
import { CoalescedRead, sleep } from '#libs/kernel/system';
import { readEvents } from './leader-client.js';
import { toEventStoreUnavailable } from './unavailable.js';

/** The pause before the end of the log is read again. */
const AGAIN_MILLIS = 20;

/**
 * Waits until the event store answers with events up to a position. A node of a cluster can lack events that another process has read
 * already, for example for a moment after it was replaced as the leader. A task that read a stream then would miss the event that caused it.
 */
export class LogReach {
  private reached: Position = -1n;
  /** Concurrent tasks share one read of the end of the log. */
  private readonly head = new CoalescedRead(() => this.readHead());

  constructor(private readonly client: EventStoreDBClient) {}

  /** Notes that this process has read the log up to a position, so that no one waits for it. */
  note(position: Position): void {
    if (position > this.reached) this.reached = position;
  }

  /**
   * Resolves when the event store answers with events up to `position`. Throws Unavailable if the event store does not answer, or if
   * `signal` is aborted before.
   */
  async waitFor(position: Position, signal: AbortSignal): Promise<void> {
    while (this.reached < position) {
      if (signal.aborted)
        throw new Unavailable('event_store_behind', `The event store ends before ${position}`);
      const head = await this.head.read();
      if (head !== undefined) this.note(head);
      if (this.reached < position) await sleep(AGAIN_MILLIS, signal);
    }
  }

  /** The position of the last event of the log, also if it is a system event. */
  private async readHead(): Promise<Position | undefined> {
    try {
      const options = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const;
      const [last] = await readEvents(() => this.client.readAll(options));
      return last?.event?.position.commit;
    } catch (error) {
      throw toEventStoreUnavailable(error) ?? error;
    }
  }
}
