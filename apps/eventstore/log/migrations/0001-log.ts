/**
 * The log. The one row of `eventstore.log` contains the epoch of the node that can write, and the last position (`head`). Every commit
 * compares and advances this row. So commits of earlier epochs are refused, and positions have no gaps.
 *
 * Streams have numbers so that the indexes of `events` stay small. Ids are unique within a stream, but not in the whole log, because a copy
 * of an event in another stream can keep its id, as in EventStoreDB.
 */
export const log = `
CREATE TABLE eventstore.log (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  instance_id uuid NOT NULL DEFAULT gen_random_uuid(),
  epoch bigint NOT NULL DEFAULT 0,
  head bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO eventstore.log DEFAULT VALUES;

CREATE TABLE eventstore.streams (
  id bigint PRIMARY KEY,
  name text COLLATE "C" NOT NULL CONSTRAINT streams_name UNIQUE
);

CREATE TABLE eventstore.events (
  position bigint CONSTRAINT events_position PRIMARY KEY,
  stream_id bigint NOT NULL,
  revision bigint NOT NULL,
  event_id uuid NOT NULL,
  created_micros bigint NOT NULL,
  is_json boolean NOT NULL,
  type text COLLATE "C" NOT NULL,
  data bytea NOT NULL,
  metadata bytea NOT NULL,
  CONSTRAINT events_stream_revision UNIQUE (stream_id, revision),
  CONSTRAINT events_stream_event_id UNIQUE (stream_id, event_id)
);

COMMENT ON COLUMN eventstore.events.created_micros IS 'microseconds since the Unix epoch';
COMMENT ON COLUMN eventstore.events.revision IS '0, 1, 2 ...; 9223372036854775807 is a tombstone';
`;
