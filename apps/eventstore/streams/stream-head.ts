import { isSoftDeleted, METASTREAM_METADATA, NO_METADATA, type StreamMetadata } from './metadata.js';
import type { ParsedStreamName } from './stream-name.js';

/** The last state of a stream and of its metastream. Every decision about the stream starts from this state. */
export interface StreamHead {
  /** The stream's number in the database. `undefined` before its first event. */
  readonly id: number | undefined;
  /** The revision of the last event, or -1 if there is none. A tombstone does not count as the last event of the stream. */
  readonly revision: number;
  readonly tombstoned: boolean;
  readonly metastreamId: number | undefined;
  readonly metastreamRevision: number;
  readonly metadata: StreamMetadata;
}

export const ABSENT_STREAM: StreamHead = {
  id: undefined,
  revision: -1,
  tombstoned: false,
  metastreamId: undefined,
  metastreamRevision: -1,
  metadata: NO_METADATA,
};

/** The state of one ordinary stream or metastream, in the form that readers and the append decision need. */
export interface StreamState {
  readonly id: number | undefined;
  readonly revision: number;
  readonly tombstoned: boolean;
  readonly softDeleted: boolean;
  /** True if the stream's metastream has events. */
  readonly hasMetadata: boolean;
  readonly metadata: StreamMetadata;
}

/** Returns the state of the stream at `address`. For a metastream, `head` is the head of the stream that the metastream describes. */
export function stateOf(head: StreamHead, address: ParsedStreamName): StreamState {
  if (address.isMetastream)
    return {
      id: head.metastreamId,
      revision: head.metastreamRevision,
      // The metadata of a tombstoned stream is deleted with the stream.
      tombstoned: head.tombstoned,
      softDeleted: false,
      hasMetadata: false,
      metadata: METASTREAM_METADATA,
    };
  return {
    id: head.id,
    revision: head.revision,
    tombstoned: head.tombstoned,
    softDeleted: isSoftDeleted(head.metadata),
    hasMetadata: head.metastreamRevision >= 0,
    metadata: head.metadata,
  };
}
