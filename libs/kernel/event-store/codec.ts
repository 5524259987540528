import {
  jsonEvent,
  type AllStreamResolvedEvent,
  type EventData,
  type ResolvedEvent,
} from '@eventstore/db-client';
import type { KeyObject } from 'node:crypto';
import { deriveUuid } from '#libs/kernel/core';
import { currentTraceParent } from '#libs/kernel/telemetry';
import type { CommandContext } from './context.js';
import {
  aggregateId,
  EVENT_READMITTED,
  EVENT_SET_ASIDE,
  isSkippedInLog,
  mapPersonalFields,
  personalFieldsOf,
  QUARANTINE_STREAM,
  quarantinedBefore,
  quarantineEntryOf,
  upcast,
  type DomainEvent,
  type EventMetadata,
  type EventVocabulary,
  type Position,
  type Quarantine,
  type QuarantineEntry,
  type QuarantineEvent,
  type RecordedEvent,
} from '#libs/kernel/domain';
import { encryptPersonalValue, decryptPersonalValue, type PersonalDataKeySource } from './personal-data.js';
import { noQuarantine, type QuarantineSource } from './quarantine-reader.js';

type Json = Record<string, unknown>;

/** An event that this program cannot read. A newer program version wrote the unreadable event, or the event's data is damaged. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  readonly position: Position;
  /** The workspace of the event; undefined if another program stored the event without one. */
  readonly workspaceId: string | undefined;

  constructor({ type, id, stream, position, metadata }: RecordedEvent, cause: Error) {
    // Without `cause`, since the log would repeat its message.
    super(`${type} (event ${id}) of ${stream} at position ${position} cannot be read: ${cause.message}`);
    this.position = position;
    this.workspaceId = (metadata as Partial<EventMetadata> | undefined)?.workspaceId;
  }
}

/** Converts between domain events and stored events: ids, metadata, versions and personal data. */
export class EventCodec {
  /**
   * @param vocabulary the event types that the codec can read and write
   * @param quarantine the events that readers of the log skip
   */
  constructor(
    private readonly vault: PersonalDataKeySource,
    private readonly vocabulary: EventVocabulary,
    private readonly quarantine: QuarantineSource = noQuarantine,
  ) {}

  /** Encodes the events of one command on one stream. The event ids derive from the command id, the stream and the index. */
  async encode(events: DomainEvent[], stream: string, context: CommandContext): Promise<EventData[]> {
    const encoded: EventData[] = [];
    const parent = currentTraceParent();
    for (const [index, event] of events.entries()) {
      const spec = this.vocabulary.specOf(event.type);
      if (!spec) throw new Error(`Event type ${event.type} belongs to no context`);
      const metadata: EventMetadata = {
        workspaceId: context.workspaceId,
        commandId: context.commandId,
        correlationId: context.correlationId,
        causationId: context.causationId,
        actor: context.actor,
        occurredAt: context.now,
        schemaVersion: spec.version,
        ...(parent === undefined ? {} : { traceParent: parent }),
      };
      const data = await this.sealed(event, context.workspaceId);
      encoded.push(
        jsonEvent({
          id: deriveUuid(context.commandId, stream, String(index)),
          type: event.type,
          data: data as never,
          metadata: metadata as never,
        }),
      );
    }
    return encoded;
  }

  /**
   * Decodes events of a stream. Events of other programs have no schema version. Events of other programs are returned as stored, so that no
   * revision is missing. Keys for personal data are fetched in one query for the whole batch. A discarded event is returned without its
   * data, under a type that no decider has. A released event has the position at which it is processed.
   *
   * @throws UnreadableEvent if an event has a type that no context of this program knows, or a later schema version, or is quarantined
   */
  async decode(resolved: readonly (ResolvedEvent | AllStreamResolvedEvent)[]): Promise<RecordedEvent[]> {
    const stored = resolved.flatMap(storedOf);
    const keyOf = await this.keysFor(stored);
    const recorded: RecordedEvent[] = [];
    let quarantine = await this.quarantine.current();
    for (const event of stored) {
      const known = quarantineEntryOf(quarantine, event);
      try {
        // A quarantine may have ended meanwhile.
        if (known?.status === 'quarantined') throw new UnreadableEvent(event, new Error('it is quarantined'));
        recorded.push(this.decodedAs(event, known, keyOf));
      } catch (error) {
        quarantine = await this.quarantine.reload();
        const entry = quarantineEntryOf(quarantine, event);
        if (entry === undefined || entry.status === 'quarantined') throw error;
        recorded.push(this.decodedAs(event, entry, keyOf));
      }
    }
    return recorded;
  }

  /**
   * Decodes events in the order of the log, as {@link decode} decodes a stream. Leaves out events that were ever quarantined. A released
   * event stands in place of its EventReadmitted, with the position of that event.
   *
   * @throws UnreadableEvent as {@link decode} does, and if an event follows a quarantined one in its stream
   */
  async decodeLog(resolved: readonly (ResolvedEvent | AllStreamResolvedEvent)[]): Promise<RecordedEvent[]> {
    const stored = resolved.flatMap(storedOf).map(readmitted);
    const keyOf = await this.keysFor(stored);
    const recorded: RecordedEvent[] = [];
    let quarantine = await this.quarantine.current();
    for (const event of stored) {
      if (isSkippedInLog(quarantine, event.position)) continue;
      try {
        requireNothingMissing(quarantine, event);
        recorded.push(this.decoded(event, keyOf));
      } catch (error) {
        quarantine = await this.quarantine.reload();
        if (isSkippedInLog(quarantine, event.position)) continue;
        if (quarantinedBefore(quarantine, event)) throw error;
        recorded.push(this.decoded(event, keyOf));
      }
    }
    return recorded;
  }

  /** Fetches the keys for the personal data of the events. */
  private async keysFor(
    events: readonly RecordedEvent[],
  ): Promise<(subject: string) => KeyObject | undefined> {
    const subjects = new Set<string>();
    for (const { type, data, metadata } of events) {
      const subject = this.subjectOf(type, data as Json, metadata);
      if (subject !== undefined) subjects.add(subject);
    }
    return subjects.size > 0 ? await this.vault.keysForReading(subjects) : () => undefined;
  }

  /** Decodes an event of a stream that was never quarantined, or whose quarantine has ended. */
  private decodedAs(
    event: RecordedEvent,
    entry: QuarantineEntry | undefined,
    keyOf: (subject: string) => KeyObject | undefined,
  ): RecordedEvent {
    if (entry?.status === 'discarded') return { ...event, type: EVENT_SET_ASIDE, data: {} };
    return this.decoded(entry ? { ...event, position: processedAt(entry) } : event, keyOf);
  }

  private decoded(event: RecordedEvent, keyOf: (subject: string) => KeyObject | undefined): RecordedEvent {
    try {
      return { ...event, data: this.opened(event, keyOf) };
    } catch (error) {
      throw new UnreadableEvent(event, error as Error);
    }
  }

  private async sealed(event: DomainEvent, workspaceId: string): Promise<Json> {
    const data = { ...event.data } as Json;
    const personal = this.vocabulary.specOf(event.type)?.personal;
    if (!personal) return data;
    const fields = personalFieldsOf(personal, data);
    let isPresent = false;
    mapPersonalFields(data, fields, () => (isPresent = true));
    // An event that names no subject is about nobody, so there is no key of a person.
    if (!isPresent || data[personal.subject] === null) return data;
    const key = await this.vault.getOrCreateKey(aggregateId(workspaceId, String(data[personal.subject])));
    return mapPersonalFields(data, fields, (value) => encryptPersonalValue(value, key));
  }

  /** The subject whose key encrypts the event's personal data; undefined if the event has none. */
  private subjectOf(type: string, data: Json, metadata: EventMetadata): string | undefined {
    const personal = this.vocabulary.specOf(type)?.personal;
    const subject = personal && data[personal.subject];
    return typeof subject === 'string' ? aggregateId(metadata.workspaceId, subject) : undefined;
  }

  private opened(
    { type, data: stored, metadata }: RecordedEvent,
    keyOf: (subject: string) => KeyObject | undefined,
  ): object {
    const spec = this.vocabulary.specOf(type);
    if (!spec) {
      if (!isOurs(metadata)) return stored;
      throw new Error(
        `no context of this program has the event type ${type}; a later version may have written it`,
      );
    }
    let data = stored as Json;
    if (spec.personal) {
      const subject = this.subjectOf(type, data, metadata);
      const key = subject === undefined ? undefined : keyOf(subject);
      data = mapPersonalFields(data, personalFieldsOf(spec.personal, data), (value) =>
        decryptPersonalValue(value, key),
      );
    }
    return upcast(type, spec, data, metadata.schemaVersion ?? 1);
  }
}

/** Returns the event of an answer as it is stored, as a list of none or one. An answer about a link has no event if its target is gone. */
function storedOf({ event }: ResolvedEvent | AllStreamResolvedEvent): RecordedEvent[] {
  if (!event) return [];
  return [
    {
      id: event.id,
      type: event.type,
      data: event.data as object,
      storedData: event.data as object,
      metadata: metadataOf(event),
      stream: event.streamId,
      revision: BigInt(event.revision),
      position: event.position?.commit ?? 0n,
      recordedAt: event.created,
    },
  ];
}

/** Returns the event that an EventReadmitted brings back, at the position of the EventReadmitted. Returns any other event unchanged. */
function readmitted(event: RecordedEvent): RecordedEvent {
  if (event.type !== EVENT_READMITTED || event.stream !== QUARANTINE_STREAM) return event;
  const { event: copy } = event.data as Extract<QuarantineEvent, { type: typeof EVENT_READMITTED }>['data'];
  return {
    id: copy.id,
    type: copy.type,
    data: copy.data,
    storedData: copy.data,
    metadata: copy.metadata as EventMetadata,
    stream: copy.stream,
    revision: BigInt(copy.revision),
    position: event.position,
    recordedAt: new Date(copy.created),
  };
}

/** The position at which a released event is processed. */
function processedAt({
  position,
  readmittedAt,
}: {
  position: string;
  readmittedAt: string | null;
}): Position {
  return BigInt(readmittedAt ?? position);
}

/** Throws UnreadableEvent if the event comes after a quarantined event of its stream. The readers of the log lack what it builds on. */
function requireNothingMissing(quarantine: Quarantine, event: RecordedEvent): void {
  const missing = quarantinedBefore(quarantine, event);
  if (missing)
    throw new UnreadableEvent(
      event,
      new Error(`it follows the event at position ${missing.position} of its stream, which is quarantined`),
    );
}

/** Events that other programs wrote may have no metadata. */
function metadataOf(event: { metadata?: unknown }): EventMetadata {
  return (event.metadata ?? {}) as EventMetadata;
}

/** Tells whether this product wrote the event, in this or another version. */
function isOurs({ schemaVersion }: EventMetadata): boolean {
  return typeof schemaVersion === 'number';
}
