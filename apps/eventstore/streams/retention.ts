import { isSoftDeleted, type StreamMetadata } from './metadata.js';

/** The range of events that a read of a stream can see. Events are never removed, and reads of `$all` still see all events. */
export interface VisibleRange {
  readonly firstRevision: number;
  readonly lastRevision: number;
  /** Events that were created before this time are not visible. The time is in microseconds since the Unix epoch. */
  readonly createdFromMicros?: number;
}

/**
 * Applies `$maxCount`, `$maxAge` and `$tb` to a stream whose last event is `lastRevision` (-1 if the stream has no event). Returns
 * `undefined` if the stream does not exist for readers, because it has no event or is soft-deleted. A stream whose events are all invisible
 * still exists for readers.
 */
export function visibleRange(
  lastRevision: number,
  metadata: StreamMetadata,
  nowMicros: number,
): VisibleRange | undefined {
  if (lastRevision < 0 || isSoftDeleted(metadata)) return undefined;
  const { maxCount, maxAgeSeconds, truncateBefore } = metadata;
  return {
    firstRevision: Math.max(
      0,
      maxCount === undefined ? 0 : lastRevision - maxCount + 1,
      truncateBefore === undefined ? 0 : truncateBefore,
    ),
    lastRevision,
    ...(maxAgeSeconds !== undefined && { createdFromMicros: nowMicros - maxAgeSeconds * 1_000_000 }),
  };
}
