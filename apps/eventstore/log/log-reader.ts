import type { Pool } from 'pg';
import type { LogEvent } from '../streams/events.js';
import { toLogEvent, type EventRow } from './rows.js';

/** The maximum bytes of payload in a page of the log, so that a page of large events stays small. A page can always contain one event. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** The maximum number of events in a page, which is what one read of the log returns. */
export const PAGE_EVENTS = 1_024;

const COLUMNS =
  'e.position, s.name, e.revision, e.event_id, e.created_micros, e.is_json, e.type, e.data, e.metadata';

/**
 * Returns the query for a page of events in the order of the column `key`. A page has at most $1 rows, and about {@link PAGE_BYTES} of
 * payload. Postgres reads the sizes from the headers of the stored values, so it never fetches payloads that do not fit.
 */
const page = (where: string, key: 'position' | 'revision', direction: 'ASC' | 'DESC'): string => `
SELECT ${COLUMNS}
FROM (
  SELECT *, sum(octet_length(data) + octet_length(metadata)) OVER (ORDER BY ${key} ${direction} ROWS UNBOUNDED PRECEDING)
    - octet_length(data) - octet_length(metadata) AS bytes_before
  FROM (
    SELECT * FROM eventstore.events WHERE ${where} ORDER BY ${key} ${direction} LIMIT $1
  ) AS candidates
) AS e
JOIN eventstore.streams s ON s.id = e.stream_id
WHERE e.bytes_before < ${PAGE_BYTES}
ORDER BY e.${key} ${direction}`;

const ALL_FORWARDS = page('position > $2 AND position <= $3', 'position', 'ASC');
const ALL_BACKWARDS = page('position < $2', 'position', 'DESC');
const STREAM = 'stream_id = $2 AND revision >= $3 AND revision <= $4 AND created_micros >= $5';
const STREAM_FORWARDS = page(STREAM, 'revision', 'ASC');
const STREAM_BACKWARDS = page(STREAM, 'revision', 'DESC');

const AT_REVISIONS = `
SELECT ${COLUMNS}
FROM unnest($1::text[], $2::bigint[]) AS asked (stream, revision)
JOIN eventstore.streams s ON s.name = asked.stream
JOIN eventstore.events e ON e.stream_id = s.id AND e.revision = asked.revision`;

/** A part of a stream. `from` and `to` are its first and its last revision. */
export interface StreamRange {
  readonly streamId: number;
  readonly from: number;
  readonly to: number;
  /** Events that were created before this time are left out. The time is in microseconds since the Unix epoch. */
  readonly createdFromMicros?: number | undefined;
}

/** Reads events from the log. Each method returns one page. The next page begins after the last event of this page. */
export class LogReader {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns events with `after < position <= upTo`, oldest first. */
  readAllForwards(after: number, upTo: number, limit: number): Promise<LogEvent[]> {
    return this.#read('all forwards', ALL_FORWARDS, [limit, after, upTo]);
  }

  /** Returns events with `position < before`, newest first. */
  readAllBackwards(before: number, limit: number): Promise<LogEvent[]> {
    return this.#read('all backwards', ALL_BACKWARDS, [limit, before]);
  }

  readStreamForwards(range: StreamRange, limit: number): Promise<LogEvent[]> {
    return this.#read('stream forwards', STREAM_FORWARDS, streamValues(range, limit));
  }

  readStreamBackwards(range: StreamRange, limit: number): Promise<LogEvent[]> {
    return this.#read('stream backwards', STREAM_BACKWARDS, streamValues(range, limit));
  }

  /** Returns the events at the given revisions, in no particular order. Events that do not exist are omitted. */
  readAtRevisions(streams: readonly string[], revisions: readonly string[]): Promise<LogEvent[]> {
    return this.#read('at revisions', AT_REVISIONS, [streams, revisions]);
  }

  async #read(name: string, text: string, values: unknown[]): Promise<LogEvent[]> {
    const { rows } = await this.#pool.query<EventRow>({ name, text, values, rowMode: 'array' });
    return rows.map(toLogEvent);
  }
}

function streamValues({ streamId, from, to, createdFromMicros = 0 }: StreamRange, limit: number): unknown[] {
  return [limit, streamId, from, to, createdFromMicros];
}
