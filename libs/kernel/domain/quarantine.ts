import { v1, type EventCatalog } from './catalog.js';
import type { DomainEvent, Position } from './event.js';

/** The stream that says which events of the log are set aside. It has the events of all workspaces. */
export const QUARANTINE_CATEGORY = 'eventQuarantine';
export const QUARANTINE_ID = 'log';
export const QUARANTINE_STREAM = `${QUARANTINE_CATEGORY}-${QUARANTINE_ID}`;

/** The type of the event that stands in the log in place of a released event. */
export const EVENT_READMITTED = 'EventReadmitted';

/** The type as which a discarded event is read in its stream. No decider has this type, so a discarded event changes no state. */
export const EVENT_SET_ASIDE = 'EventSetAside';

/** A stored event as the event store has it, with personal fields still encrypted. Times are in ISO 8601, and numbers are texts. */
export interface StoredEventCopy {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
  readonly stream: string;
  readonly revision: string;
  readonly created: string;
}

/** What identifies an event that is set aside. `position` and `revision` are whole numbers as text. */
export interface SetAsideEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: string;
  readonly eventType: string;
  readonly eventId: string;
  /** The SHA-256 of the stored event in hexadecimal form, as the audit trail has it. */
  readonly digest: string;
}

export type QuarantineEvent =
  /** All readers of the log skip the event from now on, and its stream takes no further event. */
  | DomainEvent<'EventQuarantined', SetAsideEvent & { at: string; reason: string }>
  /** The event can be read now. An EventReadmitted follows, at whose place in the log the event is processed. */
  | DomainEvent<'EventReleased', { position: string; at: string; reason: string }>
  | DomainEvent<typeof EVENT_READMITTED, { position: string; at: string; event: StoredEventCopy }>
  /** The event counts as if it had never been appended, for ever. Its stream takes events again. */
  | DomainEvent<'EventDiscarded', { position: string; at: string; reason: string }>;

export const quarantineEvents: EventCatalog<QuarantineEvent> = {
  EventQuarantined: v1,
  EventReleased: v1,
  EventReadmitted: v1,
  EventDiscarded: v1,
};

/** The event of a log that was ever quarantined. */
export interface QuarantineEntry {
  readonly position: string;
  readonly stream: string;
  readonly revision: string;
  readonly eventType: string;
  readonly eventId: string;
  readonly workspaceId: string;
  readonly reason: string;
  /** When it was quarantined, in ISO 8601. */
  readonly at: string;
  readonly status: 'quarantined' | 'released' | 'discarded';
  /** The position of the EventReadmitted at whose place a released event is processed. Null otherwise. */
  readonly readmittedAt: string | null;
}

/** The events of a log that were ever quarantined, by their position. */
export type Quarantine = Readonly<Record<string, QuarantineEntry>>;

export const NOTHING_QUARANTINED: Quarantine = {};

/**
 * Returns the quarantine after one more event of its stream.
 *
 * @param recorded the workspace of the event's metadata, and its place in the log; a decider does not know them
 */
export function evolveQuarantine(
  quarantine: Quarantine,
  event: QuarantineEvent,
  recorded: { workspaceId: string; position: string | null } = { workspaceId: '', position: null },
): Quarantine {
  const { position } = event.data;
  if (event.type === 'EventQuarantined') {
    const { stream, revision, eventType, eventId, at, reason } = event.data;
    const entry: QuarantineEntry = {
      position,
      stream,
      revision,
      eventType,
      eventId,
      workspaceId: recorded.workspaceId,
      reason,
      at,
      status: 'quarantined',
      readmittedAt: null,
    };
    return { ...quarantine, [position]: entry };
  }
  const entry = quarantine[position];
  if (!entry) throw new Error(`${event.type} is about position ${position}, which was never quarantined`);
  switch (event.type) {
    case 'EventReleased':
      return { ...quarantine, [position]: { ...entry, status: 'released' } };
    case EVENT_READMITTED:
      return { ...quarantine, [position]: { ...entry, status: 'released', readmittedAt: recorded.position } };
    case 'EventDiscarded':
      return { ...quarantine, [position]: { ...entry, status: 'discarded' } };
  }
}

/** Returns the entry of an event in its stream. Undefined if the event was never quarantined. */
export function quarantineEntryOf(
  quarantine: Quarantine,
  { stream, revision }: { stream: string; revision: bigint },
): QuarantineEntry | undefined {
  return Object.values(quarantine).find(
    (entry) => entry.stream === stream && BigInt(entry.revision) === revision,
  );
}

/** Tells whether readers of the log skip the event at a position, since it was ever quarantined. */
export function isSkippedInLog(quarantine: Quarantine, position: Position): boolean {
  return quarantine[String(position)] !== undefined;
}

/** Returns the events that are still quarantined, in the order of the log. */
export function quarantinedNow(quarantine: Quarantine): QuarantineEntry[] {
  return Object.values(quarantine)
    .filter(({ status }) => status === 'quarantined')
    .sort((a, b) => Number(BigInt(a.position) - BigInt(b.position)));
}

/** Returns a quarantined event that comes before the given event in its stream, which the given event may need. Undefined if none does. */
export function quarantinedBefore(
  quarantine: Quarantine,
  { stream, revision }: { stream: string; revision: bigint },
): QuarantineEntry | undefined {
  return quarantinedNow(quarantine).find(
    (entry) => entry.stream === stream && BigInt(entry.revision) < revision,
  );
}
