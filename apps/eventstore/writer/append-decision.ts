import type { EventLocation, ExpectedRevision } from '../streams/events.js';
import type { StreamState } from '../streams/stream-head.js';

/** The decision whether an append is written, and why not if it is not. */
export type AppendDecision =
  | { readonly kind: 'append' }
  /** All events are already recorded. `last` is the location of the last event of the append. */
  | { readonly kind: 'idempotent'; readonly last: EventLocation }
  | { readonly kind: 'wrong_expected_revision' }
  /**
   * Some events of the append exist already, and other events of the append do not. The append is therefore neither a repetition nor a new
   * append.
   */
  | { readonly kind: 'corrupted_idempotency' }
  | { readonly kind: 'stream_deleted' };

/** Finds an event of the stream by its id. */
export type FindEvent = (eventId: string) => EventLocation | undefined;

/**
 * Decides an append as EventStoreDB does (IndexWriter.CheckCommit), with one difference. EventStoreDB looks for repeated ids in a bounded
 * cache, and only if a repetition is likely. In this event store, event ids are unique within a stream for ever. If EventStoreDB would
 * write an event a second time, this function finds the first event instead.
 */
export function decideAppend(
  stream: Pick<StreamState, 'revision' | 'tombstoned' | 'softDeleted' | 'hasMetadata'>,
  expected: ExpectedRevision,
  eventIds: readonly string[],
  findEvent: FindEvent,
): AppendDecision {
  if (stream.tombstoned) return { kind: 'stream_deleted' };
  switch (expected) {
    case 'stream_exists':
      if (stream.softDeleted) return { kind: 'stream_deleted' };
      if (stream.revision < 0 && !stream.hasMetadata) return { kind: 'wrong_expected_revision' };
      return unlessRepeated(eventIds, findEvent);
    case 'any':
      return unlessRepeated(eventIds, findEvent);
    case 'no_stream':
      return decideAtRevision(stream, -1, eventIds, findEvent);
    default:
      return decideAtRevision(stream, Number(expected), eventIds, findEvent);
  }
}

function decideAtRevision(
  stream: Pick<StreamState, 'revision' | 'softDeleted'>,
  expected: number,
  eventIds: readonly string[],
  findEvent: FindEvent,
): AppendDecision {
  if (expected > stream.revision) return { kind: 'wrong_expected_revision' };
  if (expected === stream.revision) return unlessRepeated(eventIds, findEvent);

  let last: EventLocation | undefined;
  for (const [index, id] of eventIds.entries()) {
    const found = findEvent(id);
    if (found?.revision === expected + 1 + index) {
      last = found;
      continue;
    }
    if (index > 0) return { kind: 'corrupted_idempotency' };
    if (expected === -1 && stream.softDeleted) return unlessRepeated(eventIds, findEvent);
    return { kind: 'wrong_expected_revision' };
  }
  return last ? { kind: 'idempotent', last } : { kind: 'wrong_expected_revision' };
}

function unlessRepeated(eventIds: readonly string[], findEvent: FindEvent): AppendDecision {
  let known = 0;
  let last: EventLocation | undefined;
  for (const id of eventIds) {
    const found = findEvent(id);
    if (!found) continue;
    known += 1;
    last = found;
  }
  if (!last) return { kind: 'append' };
  return known === eventIds.length ? { kind: 'idempotent', last } : { kind: 'corrupted_idempotency' };
}
