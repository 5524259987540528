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
  mapPersonalFields,
  personalFieldsOf,
  upcast,
  type DomainEvent,
  type EventMetadata,
  type EventVocabulary,
  type Position,
  type RecordedEvent,
} from '#libs/kernel/domain';
import { encryptPersonalValue, decryptPersonalValue, type PersonalDataKeySource } from './personal-data.js';

type Json = Record<string, unknown>;

/** An event that this program cannot read. A newer program version wrote the unreadable event, or the event's data is damaged. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  readonly position: Position;

  constructor({ type, id, stream, position }: RecordedEvent, cause: Error) {
    // Without `cause`, since the log would repeat its message.
    super(`${type} (event ${id}) of ${stream} at position ${position} cannot be read: ${cause.message}`);
    this.position = position;
  }
}

/** Converts between domain events and stored events: ids, metadata, versions and personal data. */
export class EventCodec {
  /** @param vocabulary the event types that the codec can read and write */
  constructor(
    private readonly vault: PersonalDataKeySource,
    private readonly vocabulary: EventVocabulary,
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
   * Decodes events in the order of the log. Events of other programs have no schema version. Events of other programs are returned as
   * stored, so that no log position is missing. Keys for personal data are fetched in one query for the whole batch.
   *
   * @throws UnreadableEvent if an event has a type that no context of this program knows, or a later schema version
   */
  async decode(resolved: (ResolvedEvent | AllStreamResolvedEvent)[]): Promise<RecordedEvent[]> {
    const subjects = new Set<string>();
    for (const { event } of resolved) {
      const subject = event && this.subjectOf(event.type, event.data as Json, metadataOf(event));
      if (subject !== undefined) subjects.add(subject);
    }
    const keyOf = subjects.size > 0 ? await this.vault.keysForReading(subjects) : () => undefined;
    const recorded: RecordedEvent[] = [];
    for (const { event } of resolved) {
      if (!event) continue;
      const stored = {
        id: event.id,
        type: event.type,
        data: event.data as object,
        storedData: event.data as object,
        metadata: metadataOf(event),
        stream: event.streamId,
        revision: BigInt(event.revision),
        position: event.position?.commit ?? 0n,
        recordedAt: event.created,
      };
      try {
        stored.data = this.opened(stored, keyOf);
      } catch (error) {
        throw new UnreadableEvent(stored, error as Error);
      }
      recorded.push(stored);
    }
    return recorded;
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

/** Events that other programs wrote may have no metadata. */
function metadataOf(event: { metadata?: unknown }): EventMetadata {
  return (event.metadata ?? {}) as EventMetadata;
}

/** Tells whether this product wrote the event, in this or another version. */
function isOurs({ schemaVersion }: EventMetadata): boolean {
  return typeof schemaVersion === 'number';
}
