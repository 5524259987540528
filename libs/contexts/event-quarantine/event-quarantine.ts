import { Conflict, InvalidRequest, type Instant } from '#libs/kernel/core';
import {
  defineDecider,
  EVENT_READMITTED,
  evolveQuarantine,
  NOTHING_QUARANTINED,
  QUARANTINE_CATEGORY,
  QUARANTINE_STREAM,
  quarantineEvents,
  quarantinedNow,
  type Quarantine,
  type QuarantineEntry,
  type QuarantineEvent,
  type SetAsideEvent,
  type StoredEventCopy,
} from '#libs/kernel/domain';

/** An event in the stream of the event that a command names. */
export interface NeighbourEvent {
  /** The position in the log, a whole number as text. */
  readonly position: string;
  readonly revision: string;
}

/** Sets an event aside. */
export interface QuarantineEvents {
  type: 'QuarantineEvent';
  at: Instant;
  event: SetAsideEvent;
  /**
   * The revision of the first event of the stream that this program cannot read. Null if it can read the whole stream. Readers of the log
   * stop at that event, so it and the events after it can be set aside.
   */
  firstUnreadableRevision: string | null;
  /** The events that follow in the same stream, oldest first. */
  followers: readonly NeighbourEvent[];
  reason: string;
}

export type QuarantineCommand =
  | QuarantineEvents
  /** Lets the event be processed. `event` is the event as it is stored. `canBeRead`: this program can read it. */
  | {
      type: 'ReleaseEvent';
      at: Instant;
      position: string;
      event: StoredEventCopy;
      canBeRead: boolean;
      reason: string;
    }
  /** Lets the event count as if it had never been appended. */
  | { type: 'DiscardEvent'; at: Instant; position: string; reason: string };

/**
 * Decides which events of the log are set aside. All decisions are in one stream, since the readers of the log need them before they can go
 * on. Later events of a stream build on earlier ones. Therefore the events of a stream are set aside and discarded from the newest to the
 * oldest, and released from the oldest to the newest.
 */
export const eventQuarantineDecider = defineDecider<Quarantine, QuarantineCommand, QuarantineEvent>({
  category: QUARANTINE_CATEGORY,
  events: quarantineEvents,
  decide(command, quarantine = NOTHING_QUARANTINED) {
    switch (command.type) {
      case 'QuarantineEvent':
        return quarantineEvent(command, quarantine);
      case 'ReleaseEvent':
        return releaseEvent(command, quarantine);
      case 'DiscardEvent':
        return discardEvent(command, quarantine);
    }
  },
  evolve: (quarantine = NOTHING_QUARANTINED, event) => evolveQuarantine(quarantine, event),
});

/** Refuses an event that readers can pass, and an event that later events of its stream need. */
function quarantineEvent(
  { at, event, firstUnreadableRevision: unreadable, followers, reason }: QuarantineEvents,
  quarantine: Quarantine,
): QuarantineEvent[] {
  requireReason(reason);
  const known = quarantine[event.position];
  if (known?.status === 'quarantined') return [];
  if (known) throw ended(known);
  if (event.stream === QUARANTINE_STREAM || event.stream.startsWith('$'))
    throw new Conflict(
      'event_not_ours',
      `The stream ${event.stream} has no events that could be quarantined`,
    );
  if (unreadable === null || BigInt(event.revision) < BigInt(unreadable))
    throw new Conflict(
      'event_readable',
      `The event at position ${event.position} can be read, so no reader of the log stops at it`,
    );
  const needing = followers.find(({ position }) => quarantine[position]?.status !== 'quarantined');
  if (needing)
    throw new Conflict(
      'event_needed',
      `The event at position ${needing.position} follows in the same stream and needs it. Quarantine the events of ` +
        `${event.stream} from the newest on: ${[...followers].reverse().map(positionOf).join(', ')}, ${event.position}`,
    );
  return [{ type: 'EventQuarantined', data: { ...event, at, reason } }];
}

function releaseEvent(
  { at, position, event, canBeRead, reason }: Extract<QuarantineCommand, { type: 'ReleaseEvent' }>,
  quarantine: Quarantine,
): QuarantineEvent[] {
  requireReason(reason);
  const entry = requireQuarantined(quarantine, position);
  const earlier = quarantinedNow(quarantine).find(
    ({ stream, revision }) => stream === entry.stream && BigInt(revision) < BigInt(entry.revision),
  );
  if (earlier)
    throw new Conflict(
      'event_needed',
      `The event builds on the event at position ${earlier.position} of the same stream. Release that event first`,
    );
  if (!canBeRead)
    throw new Conflict(
      'event_unreadable',
      `This program cannot read the event at position ${position}. Release it with the version that can, or discard it`,
    );
  return [
    { type: 'EventReleased', data: { position, at, reason } },
    { type: EVENT_READMITTED, data: { position, at, event } },
  ];
}

function discardEvent(
  { at, position, reason }: Extract<QuarantineCommand, { type: 'DiscardEvent' }>,
  quarantine: Quarantine,
): QuarantineEvent[] {
  requireReason(reason);
  const entry = requireQuarantined(quarantine, position);
  const later = quarantinedNow(quarantine).findLast(
    ({ stream, revision }) => stream === entry.stream && BigInt(revision) > BigInt(entry.revision),
  );
  if (later)
    throw new Conflict(
      'event_needed',
      `The event at position ${later.position} of the same stream needs it. Discard that event first`,
    );
  return [{ type: 'EventDiscarded', data: { position, at, reason } }];
}

function requireReason(reason: string): void {
  if (reason.trim() === '' || reason.length > 500)
    throw InvalidRequest.field('reason', 'must have 1 to 500 characters');
}

function requireQuarantined(quarantine: Quarantine, position: string): QuarantineEntry {
  const entry = quarantine[position];
  if (!entry)
    throw new Conflict('event_not_quarantined', `The event at position ${position} is not quarantined`);
  if (entry.status !== 'quarantined') throw ended(entry);
  return entry;
}

function ended({ position, status }: QuarantineEntry): Conflict {
  return new Conflict('quarantine_ended', `The event at position ${position} was ${status} already`);
}

function positionOf({ position }: NeighbourEvent): string {
  return position;
}
