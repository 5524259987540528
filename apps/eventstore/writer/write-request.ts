import type { ExpectedRevision, ProposedEvent } from '../streams/events.js';
import type { ParsedStreamName } from '../streams/stream-name.js';

/** A request to the writer. */
export type WriteRequest =
  | {
      readonly kind: 'append';
      readonly stream: ParsedStreamName;
      readonly expected: ExpectedRevision;
      readonly events: readonly ProposedEvent[];
    }
  | {
      /** `delete` is soft: a later append restores the stream. `tombstone` is for ever. */
      readonly kind: 'delete' | 'tombstone';
      readonly stream: ParsedStreamName;
      readonly expected: ExpectedRevision;
    };

/** The outcome of a write request. */
export type WriteOutcome =
  | {
      readonly kind: 'written';
      /** The last revision of the append, or of the stream if there was nothing to write. -1 if there is no stream. */
      readonly revision: number;
      /** The position of the last written event. `undefined` if there was nothing to write. */
      readonly position: number | undefined;
    }
  /** `revision` is the present revision of the stream, or -1 if the stream does not exist. */
  | { readonly kind: 'wrong_expected_revision'; readonly revision: number }
  | { readonly kind: 'stream_deleted' }
  /** The deadline passed. If the write had already started at the deadline, its events can still be in the log. */
  | { readonly kind: 'timed_out' }
  /** The write failed. `message` says whether the events of the failed write can still be in the log. */
  | { readonly kind: 'failed'; readonly message: string };
