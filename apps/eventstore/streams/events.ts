/** The revision that an append expects of its stream: an exact one, or one of the protocol's keywords. */
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

/** An event in the log. It never changes. */
export interface RecordedEvent extends ProposedEvent {
  /** Place in the log: 1, 2, 3 and so on without a gap. */
  readonly position: number;
  readonly stream: string;
  /** Place in its stream, from 0. A tombstone's is 2^63 - 1, which a number can only round to 2^63. */
  readonly revision: number;
  /** Microseconds since the Unix epoch. */
  readonly createdMicros: number;
}

/** The location of an event of a stream. */
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
