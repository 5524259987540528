import {
  jsonEvent,
  type AllStreamResolvedEvent,
  type EventData,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { deriveUuid } from '#libs/core';
import { traceParent } from '#libs/telemetry';
import { upcast } from './catalog.js';
import type { CommandContext } from './context.js';
import { aggregateId } from './decider.js';
import type { DomainEvent, EventMetadata, Position, RecordedEvent } from './event.js';
import { seal, unseal, type PersonalDataKeys } from './personal-data.js';
import { eventSpec } from './registry.js';

type Json = Record<string, unknown>;

/** An event that this program cannot read: it is of a newer one, or not what was once written. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  readonly position: Position;

  constructor({ type, id, stream, position }: RecordedEvent, cause: Error) {
    super(`${type} (event ${id}) of ${stream} at position ${position} cannot be read: ${cause.message}`, {
      cause,
    });
    this.position = position;
  }
}

/** Between domain events and what the store holds: ids, metadata, versions, personal data. */
export class EventCodec {
  constructor(private readonly vault: PersonalDataKeys) {}

  /** Events of one command on one stream. Their ids derive from command, stream and index. */
  async encode(events: DomainEvent[], stream: string, context: CommandContext): Promise<EventData[]> {
    const encoded: EventData[] = [];
    const parent = traceParent();
    for (const [index, event] of events.entries()) {
      const spec = eventSpec(event.type);
      if (!spec) throw new Error(`Event type ${event.type} belongs to no decider`);
      const metadata: EventMetadata = {
        accountId: context.accountId,
        commandId: context.commandId,
        correlationId: context.correlationId,
        causationId: context.causationId,
        actor: context.actor,
        occurredAt: context.now,
        schemaVersion: spec.version,
        ...(parent === undefined ? {} : { traceParent: parent }),
      };
      const data = await this.sealed(event, context.accountId);
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
   * Events as read, in order; those of unknown type (another program's) come back undecoded so that
   * positions stay complete. Keys for personal data are fetched in one query for the whole batch.
   */
  async decode(resolved: (ResolvedEvent | AllStreamResolvedEvent)[]): Promise<RecordedEvent[]> {
    const recorded: RecordedEvent[] = [];
    const subjects = new Set<string>();
    for (const { event } of resolved) {
      if (!event) continue;
      const metadata = (event.metadata ?? {}) as unknown as EventMetadata;
      const personal = eventSpec(event.type)?.personal;
      const subject = personal && (event.data as Json)[personal.subject];
      if (typeof subject === 'string') subjects.add(aggregateId(metadata.accountId, subject));
      recorded.push({
        id: event.id,
        type: event.type,
        data: event.data as object,
        storedData: event.data as object,
        metadata,
        stream: event.streamId,
        revision: BigInt(event.revision),
        position: event.position?.commit ?? 0n,
        recordedAt: event.created,
      });
    }
    const keyOf = subjects.size > 0 ? await this.vault.keysForReading(subjects) : () => undefined;
    return recorded.map((event) => {
      try {
        return { ...event, data: opened(event, keyOf) };
      } catch (error) {
        throw new UnreadableEvent(event, error as Error);
      }
    });
  }

  private async sealed(event: DomainEvent, accountId: string): Promise<Json> {
    const data = { ...event.data } as Json;
    const personal = eventSpec(event.type)?.personal;
    if (!personal) return data;
    const present = personal.fields.filter((field) => data[field] !== undefined && data[field] !== null);
    if (present.length === 0) return data;
    const key = await this.vault.keyForWriting(aggregateId(accountId, String(data[personal.subject])));
    for (const field of present) data[field] = seal(data[field], key);
    return data;
  }
}

function opened(event: RecordedEvent, keyOf: (subject: string) => Buffer | undefined): object {
  const spec = eventSpec(event.type);
  if (!spec) return event.data;
  let data = event.data as Json;
  if (spec.personal) {
    const key = keyOf(aggregateId(event.metadata.accountId, String(data[spec.personal.subject])));
    data = { ...data };
    for (const field of spec.personal.fields) if (field in data) data[field] = unseal(data[field], key);
  }
  return upcast(event.type, spec, data, event.metadata.schemaVersion ?? 1);
}
