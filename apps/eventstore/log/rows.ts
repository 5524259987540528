import type { LogEvent } from '../streams/events.js';
import { TOMBSTONE_REVISION } from '../wire/names.js';

/** A row of `events` as an array, which pg creates faster than an object. */
export type EventRow = [
  position: string,
  stream: string,
  revision: string,
  eventId: string,
  createdMicros: string,
  isJson: boolean,
  type: string,
  data: Buffer,
  metadata: Buffer,
];

export function toLogEvent(row: EventRow): LogEvent {
  return {
    position: Number(row[0]),
    stream: row[1],
    revision: Number(row[2]),
    id: row[3],
    createdMicros: Number(row[4]),
    isJson: row[5],
    type: row[6],
    data: row[7],
    metadata: row[8],
  };
}

/**
 * Returns a revision in decimal. The text of a tombstone's revision comes from a constant, because a JavaScript number cannot hold this
 * revision exactly.
 */
export function revisionText(revision: number): string {
  return revision >= Number(TOMBSTONE_REVISION) ? TOMBSTONE_REVISION.toString() : revision.toString();
}
