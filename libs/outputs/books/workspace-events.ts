import type { EventFeed } from '#libs/kernel/event-store';
import type { Position, RecordedEvent } from '#libs/kernel/domain';

const BATCH = 1_000;

/** Some events of the log, and the position up to which everything has been read. */
export interface EventsUpTo {
  readonly events: readonly RecordedEvent[];
  readonly position: Position;
}

/**
 * Yields all events of the log up to the position `end`, in batches. `end` is the position of an event that is in the log. A separate
 * thread reads if the feed has the URL of the event store. Throws if `signal` is aborted, or if the log ends before `end`.
 */
export async function* eventsThrough(
  feed: Pick<EventFeed, 'history'>,
  end: Position,
  signal: AbortSignal,
): AsyncGenerator<EventsUpTo> {
  if (end < 0n) return;
  let reached: Position = -1n;
  for await (const { events, position } of feed.history(undefined, BATCH, signal, true)) {
    yield { events: events.filter((event) => event.position <= end), position };
    if (position >= end) return;
    reached = position;
  }
  // A history that is aborted ends like one that is whole.
  signal.throwIfAborted();
  throw new Error(`The event log ends at position ${reached}, before ${end}`);
}

/** Yields the events of a workspace up to the position `end`, as {@link eventsThrough} does. A batch can be empty. */
export async function* workspaceEvents(
  feed: Pick<EventFeed, 'history'>,
  workspaceId: string,
  end: Position,
  signal: AbortSignal,
): AsyncGenerator<EventsUpTo> {
  for await (const { events, position } of eventsThrough(feed, end, signal))
    yield { events: events.filter(({ metadata }) => metadata.workspaceId === workspaceId), position };
}
