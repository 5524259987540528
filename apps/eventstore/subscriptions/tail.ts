import type { LogEvent } from '../streams/events.js';

const MAX_EVENTS = 8_192;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * The last events of the log in memory, for live subscribers. All subscribers share one tail. A subscriber is only a position in the tail,
 * so a slow subscriber costs nothing. A subscriber that falls behind the tail's beginning reads from the database until it has caught up
 * again.
 */
export class Tail {
  readonly #ring = new Array<LogEvent | undefined>(MAX_EVENTS);
  readonly #listeners = new Set<() => void>();
  #first: number;
  #last: number;
  #bytes = 0;

  /** @param lastPosition the end of the log when the node started */
  constructor(lastPosition: number) {
    this.#first = lastPosition + 1;
    this.#last = lastPosition;
  }

  /** The position of the last committed event, or 0 if the log is empty. */
  get lastPosition(): number {
    return this.#last;
  }

  /** Adds committed events in order, and notifies the listeners. */
  publish(events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.position !== this.#last + 1)
        throw new Error(`Position ${event.position} was published after ${this.#last}`);
      this.#last = event.position;
      this.#bytes += payloadBytes(event);
      if (this.#last - this.#first >= MAX_EVENTS) this.#dropFirst();
      this.#ring[event.position % MAX_EVENTS] = event;
      while (this.#bytes > MAX_BYTES && this.#first < this.#last) this.#dropFirst();
    }
    for (const listener of this.#listeners) listener();
  }

  /**
   * Returns true if the event after `position` is still in memory, or if there is no such event yet. Returns false if the event was already
   * dropped from memory, or was committed before the node started.
   */
  coversEventsAfter(position: number): boolean {
    return position + 1 >= this.#first;
  }

  /** Returns up to `limit` events after `position`. The result is valid only if {@link coversEventsAfter} returns true. */
  eventsAfter(position: number, limit: number): LogEvent[] {
    const events: LogEvent[] = [];
    const end = Math.min(this.#last, position + limit);
    for (let next = position + 1; next <= end; next += 1) {
      const event = this.#ring[next % MAX_EVENTS];
      if (event?.position !== next) throw new Error(`Position ${next} has left the tail`);
      events.push(event);
    }
    return events;
  }

  /** Calls `listener` after every commit until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #dropFirst(): void {
    const slot = this.#first % MAX_EVENTS;
    const event = this.#ring[slot];
    if (event) this.#bytes -= payloadBytes(event);
    this.#ring[slot] = undefined;
    this.#first += 1;
  }
}

function payloadBytes(event: LogEvent): number {
  return event.data.length + event.metadata.length;
}
