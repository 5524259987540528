import { DatabaseError, type Client, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { EventLocation } from '../streams/events.js';
import type { GroupPlan, PlannedEvent, RecordedLocations } from '../writer/group-plan.js';
import { EventAlreadyRecorded, WriterRightLost } from './errors.js';
import type { WriterRight } from './fence.js';
import { revisionText } from './rows.js';

const UNIQUE_VIOLATION = '23505';

/**
 * The append is one statement, and so one round trip and one transaction. The query `fence` runs first. If the row of the log does not have
 * this node's epoch and last position, nothing is written. The payloads are sent as one binary parameter, and the statement splits them.
 * The driver pg would send an array of payloads as text of twice the length. Sending this text took a third of the time of a commit.
 */
const APPEND = `
WITH fence AS (
  UPDATE eventstore.log SET head = $3::bigint WHERE epoch = $1::bigint AND head = $2::bigint RETURNING head
), new_streams AS (
  INSERT INTO eventstore.streams (id, name)
  SELECT id, name FROM unnest($4::bigint[], $5::text[]) AS s (id, name)
  WHERE EXISTS (SELECT FROM fence)
)
INSERT INTO eventstore.events
  (position, stream_id, revision, event_id, created_micros, is_json, type, data, metadata)
SELECT $2::bigint + ordinal, stream_id, revision, event_id, created_micros, is_json, type,
  substring($12::bytea FROM starts + 1 FOR data_length),
  substring($12::bytea FROM starts + data_length + 1 FOR metadata_length)
FROM unnest($6::bigint[], $7::bigint[], $8::uuid[], $9::bigint[], $10::boolean[], $11::text[], $13::int[], $14::int[], $15::int[])
  WITH ORDINALITY AS e (stream_id, revision, event_id, created_micros, is_json, type, starts, data_length, metadata_length, ordinal)
WHERE EXISTS (SELECT FROM fence)`;

const FIND = `
SELECT s.name, e.event_id, e.revision, e.position
FROM unnest($1::text[], $2::uuid[]) AS asked (stream, event_id)
JOIN eventstore.streams s ON s.name = asked.stream
JOIN eventstore.events e ON e.stream_id = s.id AND e.event_id = asked.event_id`;

/** Writes events to the log, on the connection that holds the writer's lock. */
export class LogWriter {
  readonly #client: Client;
  readonly #tenure: WriterRight;

  constructor(client: Client, tenure: WriterRight) {
    this.#client = client;
    this.#tenure = tenure;
  }

  /**
   * Writes the planned events. The events are on disk when the promise resolves.
   *
   * @throws EventAlreadyRecorded or the error of Postgres if nothing was written
   * @throws WriterRightLost if this node can no longer write
   */
  async append(plan: GroupPlan): Promise<void> {
    const { events } = plan;
    const firstPosition = plan.lastPosition - events.length;
    const result = await this.query({
      name: 'append',
      text: APPEND,
      values: [
        this.#tenure.epoch,
        firstPosition,
        plan.lastPosition,
        [...plan.newStreamIds.values()],
        [...plan.newStreamIds.keys()],
        events.map((event) => event.streamId),
        events.map((event) => revisionText(event.revision)),
        events.map((event) => event.id),
        events.map((event) => event.createdMicros),
        events.map((event) => event.isJson),
        events.map((event) => event.type),
        Buffer.concat(events.flatMap((event) => [event.data, event.metadata])),
        starts(events),
        events.map((event) => event.data.length),
        events.map((event) => event.metadata.length),
      ],
    });
    if (result.rowCount !== events.length) throw new WriterRightLost('Another node has taken over the log.');
  }

  /** Finds recorded events by stream name and event id, all in one query. */
  async findRecordedLocations(asked: Iterable<{ stream: string; id: string }>): Promise<RecordedLocations> {
    const streams: string[] = [];
    const ids: string[] = [];
    for (const { stream, id } of asked) {
      streams.push(stream);
      ids.push(id);
    }
    const found = new Map<string, Map<string, EventLocation>>();
    if (ids.length === 0) return found;
    const { rows } = await this.query<{
      name: string;
      event_id: string;
      revision: string;
      position: string;
    }>({ name: 'find', text: FIND, values: [streams, ids] });
    for (const row of rows) {
      const ofStream = found.get(row.name) ?? new Map<string, EventLocation>();
      ofStream.set(row.event_id, { revision: Number(row.revision), position: Number(row.position) });
      found.set(row.name, ofStream);
    }
    return found;
  }

  /** Runs a query on the writing connection. Any error that Postgres did not return means that the lock is lost. */
  async query<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>> {
    try {
      return await this.#client.query<R>(query);
    } catch (error) {
      if (!(error instanceof DatabaseError) || isConnectionEnd(error.code))
        throw new WriterRightLost('The connection to Postgres that holds the log was lost.', {
          cause: error,
        });
      if (error.code === UNIQUE_VIOLATION && error.constraint === 'events_stream_event_id')
        throw new EventAlreadyRecorded('The stream already has an event with this id.', { cause: error });
      throw error;
    }
  }
}

/** Returns the offset of each event's payload in the concatenated payloads. */
function starts(events: readonly PlannedEvent[]): number[] {
  let end = 0;
  return events.map((event) => {
    const start = end;
    end += event.data.length + event.metadata.length;
    return start;
  });
}

/**
 * Tells whether Postgres ended the connection with this error. Postgres ends a connection when it shuts down or crashes, or if an
 * administrator ends the connection.
 */
function isConnectionEnd(code: string | undefined): boolean {
  return code !== undefined && (code.startsWith('57P') || code.startsWith('08'));
}
