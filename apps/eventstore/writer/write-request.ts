import type { ExpectedRevision, ProposedEvent } from '../streams/events.js';
import type { StreamAddress } from '../streams/stream-name.js';

/** A request to the writer. */
export type WriteRequest =
  | {
      readonly kind: 'append';
      readonly stream: StreamAddress;
      readonly expected: ExpectedRevision;
      readonly events: readonly ProposedEvent[];
    }
  | {
      /** `delete` is soft and can be undone by an append; `tombstone` is for ever. */
      readonly kind: 'delete' | 'tombstone';
      readonly stream: StreamAddress;
      readonly expected: ExpectedRevision;
    };

/** The outcome of a write request. */
export type WriteOutcome =
  | {
      readonly kind: 'written';
      /** Last revision of the append, or of the stream when nothing was to be written; -1: no stream. */
      readonly revision: number;
      /** Position of the last event written; `undefined` when nothing was to be written. */
      readonly position: number | undefined;
    }
  /** `revision` is the stream's current one, -1 when there is none. */
  | { readonly kind: 'wrong_expected_revision'; readonly revision: number }
  | { readonly kind: 'stream_deleted' }
  /** The deadline passed. When the write was already on its way it may have been done nevertheless. */
  | { readonly kind: 'timed_out' }
  /** The node could not do it; `message` says whether the write may have been done nevertheless. */
  | { readonly kind: 'failed'; readonly message: string };
