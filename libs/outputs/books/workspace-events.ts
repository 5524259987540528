import type { EventFeed } from '#libs/kernel/event-store';
import type { Position, RecordedEvent } from '#libs/kernel/domain';

const BATCH = 1_000;

/** Some events of the log, and the position up to which everything has been read. */
export interface EventsUpTo {
  readonly events: readonly RecordedEvent[];
  readonly position: Position;
}

/** Yields all events of the log up to the position `end`, in batches. */
export async function* eventsThrough(
  feed: Pick<EventFeed, 'batches'>,
  end: Position,
): AsyncGenerator<EventsUpTo> {
  if (end < 0n) return;
  for await (const { events, position } of feed.batches(undefined, BATCH, new AbortController().signal)) {
    yield { events: events.filter((event) => event.position <= end), position };
    if (position >= end) return;
  }
}

/** Yields the events of a workspace up to the position `end`, in batches. A batch can be empty. */
export async function* workspaceEvents(
  feed: Pick<EventFeed, 'batches'>,
  workspaceId: string,
  end: Position,
): AsyncGenerator<EventsUpTo> {
  for await (const { events, position } of eventsThrough(feed, end))
    yield { events: events.filter(({ metadata }) => metadata.workspaceId === workspaceId), position };
}
