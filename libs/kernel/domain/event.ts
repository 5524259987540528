import type { Instant } from '#libs/kernel/core';

/** A fact, named in the past tense. `type` is the event's stored name; `data` is plain JSON with decimals as text. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** The cause of an event: a signed-in user, an API key, a background process, or a customer on a hosted page or in the portal. */
export interface Actor {
  readonly type: 'user' | 'api_key' | 'system' | 'customer';
  readonly id: string;
  /**
   * The approval under which the actor's command runs. Absent if the command needed no approval. Only the saga sets the approval of an
   * actor, never a request.
   */
  readonly approval?: Approval;
}

/** The approval of an action by a second person. */
export interface Approval {
  readonly requestId: string;
  readonly approvedBy: { readonly type: Actor['type']; readonly id: string };
}

/** The metadata that {@link AggregateStore} stores with every event. */
export interface EventMetadata {
  readonly workspaceId: string;
  /** The id of the command that led to the event. */
  readonly commandId: string;
  /** The id that all commands and events with the same first cause share. */
  readonly correlationId: string;
  /** The id of the event or command that caused the command. Null if there is none. */
  readonly causationId: string | null;
  readonly actor: Actor;
  /** The business time: the workspace's clock when the command ran. */
  readonly occurredAt: Instant;
  readonly schemaVersion: number;
  /** The span that appended the event (W3C `traceparent`), if tracing was on. */
  readonly traceParent?: string;
}

/** The position of an event in the whole log (its commit position). */
export type Position = bigint;

/** An event that was read from the log and converted to the present schema version. */
export interface RecordedEvent<E extends DomainEvent = DomainEvent> {
  readonly id: string;
  readonly type: E['type'];
  readonly data: E['data'];
  /** The data as it is stored: personal fields are encrypted, and the schema version is the one that was written. */
  readonly storedData: object;
  readonly metadata: EventMetadata;
  readonly stream: string;
  /** The number of the event in its stream, counted from 0. */
  readonly revision: bigint;
  readonly position: Position;
  /** The time at which the event store recorded the event, by the clock of the store's machine. */
  readonly recordedAt: Date;
}

/** The recorded events of a union of event types, so that a switch over `type` narrows the type of `data`. */
export type Recorded<E extends DomainEvent> = E extends DomainEvent ? RecordedEvent<E> : never;
