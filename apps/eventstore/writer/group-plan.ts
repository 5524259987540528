import { randomUUID } from 'node:crypto';
import type { EventLocation, ProposedEvent, LogEvent } from '../streams/events.js';
import { parseStreamMetadata, SOFT_DELETED_JSON, undeletedMetadata } from '../streams/metadata.js';
import { stateOf, ABSENT_STREAM, type StreamHead } from '../streams/stream-head.js';
import { parseStreamName, metastreamOf, type ParsedStreamName } from '../streams/stream-name.js';
import { SystemEventType, TOMBSTONE_REVISION } from '../wire/names.js';
import { decideAppend, type AppendDecision } from './append-decision.js';
import type { WriteOutcome, WriteRequest } from './write-request.js';

const NO_BYTES = new Uint8Array(0);

/** The event of a deletion has a new id, so no stream can already have it. */
const findNothing = (): undefined => undefined;

/** An event to be written, with its stream's number in the database. */
export interface PlannedEvent extends LogEvent {
  readonly streamId: number;
}

/** The state before a group, from which the decisions about its requests start. */
export interface StateBeforeGroup {
  /**
   * The heads of the streams that the group's requests name, by stream name. For a metastream, the map has the head of the stream that it
   * describes.
   */
  readonly heads: ReadonlyMap<string, StreamHead>;
  /** The locations of those events of the requests that the log already has. */
  readonly recordedLocations: RecordedLocations;
  /** The position of the last event in the log before the group. */
  readonly lastPosition: number;
  /** The highest stream number in the database before the group, or 0 if there is no stream. New streams get the next numbers. */
  readonly highestStreamId: number;
  readonly nowMicros: number;
}

/** The locations of recorded events, by stream name and event id. */
export type RecordedLocations = ReadonlyMap<string, ReadonlyMap<string, EventLocation>>;

/**
 * Decides a group of write requests in order, each against the state that the earlier requests produce. Collects the events to be written,
 * and changes nothing outside the plan. A plan whose commit fails can therefore be discarded.
 */
export class GroupPlan {
  readonly events: PlannedEvent[] = [];
  /** The numbers of the streams that the plan creates, by stream name. */
  readonly newStreamIds = new Map<string, number>();
  /** The heads that the plan changes, by stream name. A change of a metastream changes the head of the stream that it describes. */
  readonly changedHeads = new Map<string, StreamHead>();
  /** The outcome of each request, in the order of the requests. */
  readonly outcomes: WriteOutcome[];
  readonly #basis: StateBeforeGroup;
  readonly #planned = new Map<string, Map<string, EventLocation>>();

  constructor(requests: readonly WriteRequest[], basis: StateBeforeGroup) {
    this.#basis = basis;
    this.outcomes = requests.map((request) => this.#decide(request));
  }

  /** The position of the last event in the log after the plan's commit. */
  get lastPosition(): number {
    return this.#basis.lastPosition + this.events.length;
  }

  /** The highest stream number after the plan's commit. The next new stream gets the number after it. */
  get highestStreamId(): number {
    return this.#basis.highestStreamId + this.newStreamIds.size;
  }

  #decide(request: WriteRequest): WriteOutcome {
    switch (request.kind) {
      case 'append':
        return this.#append(request.stream, request);
      case 'delete':
        return this.#delete(request.stream, request);
      case 'tombstone':
        return this.#tombstone(request.stream, request);
    }
  }

  #append(stream: ParsedStreamName, request: WriteRequest & { kind: 'append' }): WriteOutcome {
    const head = this.#head(stream);
    const state = stateOf(head, stream);
    const decision = decideAppend(
      state,
      request.expected,
      request.events.map(({ id }) => id),
      (id) => this.#find(stream.name, id),
    );
    if (decision.kind !== 'append') return refusal(decision, state.revision);
    if (request.events.length === 0)
      return { kind: 'written', revision: state.revision, position: undefined };

    const original = parseStreamName(stream.nameWithoutPrefix);
    const wasSoftDeleted = stateOf(head, original).softDeleted;
    let revision = state.revision;
    for (const event of request.events) this.#record(stream, (revision += 1), event);
    const position = this.lastPosition;
    if (wasSoftDeleted) this.#undelete(original, head.revision + 1);
    return { kind: 'written', revision, position };
  }

  /** Writes the deletion as metadata, so that a later append continues the stream's revisions. */
  #delete(stream: ParsedStreamName, request: WriteRequest): WriteOutcome {
    const state = stateOf(this.#head(stream), stream);
    const eventId = randomUUID();
    const decision = decideAppend(state, request.expected, [eventId], findNothing);
    if (decision.kind !== 'append') return refusal(decision, state.revision);
    if (state.revision < 0 && !state.hasMetadata)
      return { kind: 'wrong_expected_revision', revision: state.revision };
    this.#recordMetadata(stream, SOFT_DELETED_JSON, eventId);
    return { kind: 'written', revision: state.revision, position: this.lastPosition };
  }

  #tombstone(stream: ParsedStreamName, request: WriteRequest): WriteOutcome {
    const state = stateOf(this.#head(stream), stream);
    const eventId = randomUUID();
    const decision = decideAppend(state, request.expected, [eventId], findNothing);
    if (decision.kind !== 'append') return refusal(decision, state.revision);
    this.#record(stream, Number(TOMBSTONE_REVISION), {
      id: eventId,
      type: SystemEventType.streamDeleted,
      isJson: false,
      data: NO_BYTES,
      metadata: NO_BYTES,
    });
    return { kind: 'written', revision: state.revision, position: this.lastPosition };
  }

  #undelete(original: ParsedStreamName, revision: number): void {
    this.#recordMetadata(original, undeletedMetadata(this.#head(original).metadata, revision), randomUUID());
  }

  #recordMetadata(original: ParsedStreamName, data: Uint8Array, eventId: string): void {
    const metastream = parseStreamName(metastreamOf(original.name));
    this.#record(metastream, this.#head(original).metastreamRevision + 1, {
      id: eventId,
      type: SystemEventType.streamMetadata,
      isJson: true,
      data,
      metadata: NO_BYTES,
    });
  }

  #record(stream: ParsedStreamName, revision: number, event: ProposedEvent): void {
    const head = this.#head(stream);
    const streamId = stateOf(head, stream).id ?? this.#createStream(stream.name);
    const position = this.lastPosition + 1;
    this.events.push({
      id: event.id,
      type: event.type,
      isJson: event.isJson,
      data: event.data,
      metadata: event.metadata,
      position,
      stream: stream.name,
      streamId,
      revision,
      createdMicros: this.#basis.nowMicros,
    });
    this.#remember(stream.name, event.id, { revision, position });
    this.changedHeads.set(stream.nameWithoutPrefix, after(head, stream, streamId, revision, event));
  }

  #createStream(name: string): number {
    const id = this.highestStreamId + 1;
    this.newStreamIds.set(name, id);
    return id;
  }

  #head(stream: ParsedStreamName): StreamHead {
    return (
      this.changedHeads.get(stream.nameWithoutPrefix) ??
      this.#basis.heads.get(stream.nameWithoutPrefix) ??
      ABSENT_STREAM
    );
  }

  #find(stream: string, id: string): EventLocation | undefined {
    return this.#planned.get(stream)?.get(id) ?? this.#basis.recordedLocations.get(stream)?.get(id);
  }

  #remember(stream: string, id: string, location: EventLocation): void {
    const ids = this.#planned.get(stream);
    if (ids) ids.set(id, location);
    else this.#planned.set(stream, new Map([[id, location]]));
  }
}

function after(
  head: StreamHead,
  stream: ParsedStreamName,
  streamId: number,
  revision: number,
  event: ProposedEvent,
): StreamHead {
  if (stream.isMetastream)
    return {
      ...head,
      metastreamId: streamId,
      metastreamRevision: revision,
      metadata: parseStreamMetadata(event.data),
    };
  if (event.type === SystemEventType.streamDeleted && revision >= Number(TOMBSTONE_REVISION))
    return { ...head, id: streamId, tombstoned: true };
  return { ...head, id: streamId, revision };
}

function refusal(decision: Exclude<AppendDecision, { kind: 'append' }>, revision: number): WriteOutcome {
  switch (decision.kind) {
    case 'idempotent':
      return { kind: 'written', revision: decision.last.revision, position: decision.last.position };
    case 'stream_deleted':
      return { kind: 'stream_deleted' };
    case 'wrong_expected_revision':
    case 'corrupted_idempotency':
      return { kind: 'wrong_expected_revision', revision };
  }
}
