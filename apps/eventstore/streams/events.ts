/** What an append expects of its stream: an exact revision, or one of the protocol's words. */
export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';

/** An event as a client proposes it. */
export interface ProposedEvent {
  /** UUID in lower case. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event in the log. Nothing about it ever changes. */
export interface RecordedEvent extends ProposedEvent {
  /** Place in the log: 1, 2, 3 and so on without a gap. */
  readonly position: number;
  readonly stream: string;
  /** Place in its stream, from 0. A tombstone's is 2^63 - 1, which a number can only round to 2^63. */
  readonly revision: number;
  /** Microseconds since the Unix epoch. */
  readonly createdMicros: number;
}

/** Where an event of a stream is. */
export interface EventLocation {
  readonly revision: number;
  readonly position: number;
}

/**
 * The size that the append limit counts. EventStoreDB counts a type as UTF-16, whatever it is stored as.
 */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + 2 * event.type.length;
}
