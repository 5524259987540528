/** The revision that an append expects of its stream: an exact revision or one of the protocol's keywords. */
export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';

/** An event as a client proposes it. */
export interface ProposedEvent {
  /** The UUID of the event, in lower case. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event in the log. It never changes. */
export interface LogEvent extends ProposedEvent {
  /** The place of the event in the log: 1, 2, 3 and so on, without gaps. */
  readonly position: number;
  readonly stream: string;
  /** The place of the event in its stream, from 0. The revision of a tombstone is 2^63 - 1, which a JavaScript number rounds to 2^63. */
  readonly revision: number;
  /** The time of the append, in microseconds since the Unix epoch. */
  readonly createdMicros: number;
}

/** The location of an event of a stream. */
export interface EventLocation {
  readonly revision: number;
  readonly position: number;
}

/**
 * Returns the size of an event that counts towards the limit of an append. EventStoreDB counts the event type as UTF-16, even though it
 * stores the type in another encoding.
 */
export function eventSizeInAppend(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + 2 * event.type.length;
}
