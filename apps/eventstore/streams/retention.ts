import { isSoftDeleted, type StreamMetadata } from './metadata.js';

/** What a read of a stream may see. Nothing is removed: reads of `$all` see everything. */
export interface VisibleRange {
  readonly firstRevision: number;
  readonly lastRevision: number;
  /** Events created before this are too old; microseconds since the Unix epoch. */
  readonly createdFromMicros?: number;
}

/**
 * Applies `$maxCount`, `$maxAge` and `$tb` to a stream whose last event is `lastRevision` (-1: none).
 * Returns `undefined` when there is no such stream to a reader, because it has no event or is soft-deleted;
 * a range that is merely empty is a stream that is there.
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
