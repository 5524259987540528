import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of the usage log, its idempotency keys, and the rollups of the meters. */
export class Usage1700000000700 implements MigrationInterface {
  name = 'Usage1700000000700';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [LOG, PARTITIONS, APPEND, PROPERTIES, METERS]) await runner.query(statement);
    await runner.query('SELECT usage.ensure_partitions(2)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA usage CASCADE');
  }
}

/*
 * streams, series and sources: numbers for the names that every event repeats. They make the log half as large, and its indexes three
 * times as fast to write. A stream is a workspace's events with one name, and a series is one customer's part of a stream.
 * events: append-only. `seq` is the order of the log.
 * keys: one row for each idempotency key, kept forever. This is a separate table, because a unique index of a partitioned table holds only
 * within one partition. It stores digests, because keys can be long.
 * log: a view of the events with their names, for people.
 */
const LOG = `
  CREATE SCHEMA usage;
  CREATE SEQUENCE usage.event_seq;

  CREATE TABLE usage.streams (
    id         int  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL,
    event_name text COLLATE "C" NOT NULL,
    UNIQUE (workspace_id, event_name)
  );

  CREATE TABLE usage.series (
    id          int  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stream_id   int  NOT NULL REFERENCES usage.streams,
    customer_id text COLLATE "C" NOT NULL,
    UNIQUE (customer_id, stream_id)
  );

  CREATE TABLE usage.sources (
    id         int  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    UNIQUE (workspace_id, name)
  );

  CREATE TABLE usage.events (
    seq             bigint      NOT NULL,
    stream_id       int         NOT NULL,
    series_id       int         NOT NULL,
    timestamp       timestamptz NOT NULL,
    id              text        COLLATE "C" NOT NULL,
    idempotency_key text        COLLATE "C",
    properties      jsonb       NOT NULL,
    source_id       int         NOT NULL,
    recorded_at     timestamptz NOT NULL,
    PRIMARY KEY (stream_id, seq, recorded_at)
  ) PARTITION BY RANGE (recorded_at);
  CREATE INDEX events_of_series ON usage.events (series_id, timestamp, seq);
  CREATE INDEX events_of_stream ON usage.events (stream_id, timestamp, seq);

  CREATE TABLE usage.keys (
    digest   uuid PRIMARY KEY,
    event_id text COLLATE "C" NOT NULL
  );

  CREATE VIEW usage.log AS
    SELECT e.seq, t.workspace_id, s.customer_id, t.event_name, e.timestamp, e.id, e.idempotency_key, e.properties,
      o.name AS source, e.recorded_at
    FROM usage.events e
    JOIN usage.series s ON s.id = e.series_id
    JOIN usage.streams t ON t.id = e.stream_id
    JOIN usage.sources o ON o.id = e.source_id;
`;

/*
 * Each month of arrival has one partition. The events' own time is not used, because a sandbox's clock can show any time, which would
 * lead to any number of partitions. Unlike CREATE … PARTITION OF, ATTACH does not block readers and writers.
 */
const PARTITIONS = `
  CREATE FUNCTION usage.ensure_partitions(months_ahead int) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    month timestamptz := date_trunc('month', clock_timestamp(), 'UTC');
    name text;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('usage.ensure_partitions', 0));
    FOR i IN 0..months_ahead LOOP
      name := 'events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
      IF to_regclass('usage.' || name) IS NULL THEN
        EXECUTE format('CREATE TABLE usage.%I (LIKE usage.events INCLUDING DEFAULTS)', name);
        EXECUTE format('ALTER TABLE usage.events ATTACH PARTITION usage.%I FOR VALUES FROM (%L) TO (%L)',
          name, month, month + interval '1 month');
      END IF;
      month := month + interval '1 month';
    END LOOP;
  END $$;
`;

/*
 * append: stores a group of events in one round trip. Writers hold a shared lock from before their first seq until their commit. `head`
 * takes the same lock exclusively, so at that moment every seq drawn so far is in the log or never will be. So a reader that reads up to
 * head misses no event, and the events up to head never change.
 * Keys are first inserted as if none existed, which is a third faster than ON CONFLICT and nearly always right. They are inserted in the
 * order of their digests, so that two writers with the same keys wait for each other and do not deadlock.
 * It returns the positions in the group (counted from 1) of the events that were already stored, and the ids of those events.
 */
const APPEND = `
  CREATE FUNCTION usage.head() RETURNS bigint LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('usage.append', 0));
    RETURN (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM usage.event_seq);
  END $$;

  CREATE FUNCTION usage.append(
    streams int[], series int[], times timestamptz[], ids text[], keys text[], digests uuid[], sources int[],
    properties jsonb
  ) RETURNS TABLE (place int, first_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    recorded timestamptz;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('usage.append', 0));
    recorded := clock_timestamp();
    BEGIN
      INSERT INTO usage.keys (digest, event_id)
      SELECT e.d, e.i FROM unnest(digests, ids) AS e (d, i) WHERE e.d IS NOT NULL ORDER BY e.d;

      INSERT INTO usage.events
        (seq, stream_id, series_id, timestamp, id, idempotency_key, properties, source_id, recorded_at)
      SELECT nextval('usage.event_seq'), e.stream, e.serie, e.t, e.i, e.k, e.p, e.source, recorded
      FROM ROWS FROM (
        unnest(streams, series, times, ids, keys, sources), jsonb_array_elements(properties)
      ) AS e (stream, serie, t, i, k, source, p);
    EXCEPTION WHEN unique_violation THEN
      INSERT INTO usage.keys (digest, event_id)
      SELECT e.d, e.i FROM unnest(digests, ids) WITH ORDINALITY AS e (d, i, n) WHERE e.d IS NOT NULL ORDER BY e.d, e.n
      ON CONFLICT DO NOTHING;

      RETURN QUERY
        SELECT e.n::int, first.event_id
        FROM unnest(digests, ids) WITH ORDINALITY AS e (d, i, n)
        JOIN usage.keys AS first ON first.digest = e.d
        WHERE first.event_id <> e.i;

      INSERT INTO usage.events
        (seq, stream_id, series_id, timestamp, id, idempotency_key, properties, source_id, recorded_at)
      SELECT nextval('usage.event_seq'), e.stream, e.serie, e.t, e.i, e.k, e.p, e.source, recorded
      FROM (
        SELECT one.*
        FROM ROWS FROM (
          unnest(streams, series, times, ids, keys, digests, sources), jsonb_array_elements(properties)
        ) WITH ORDINALITY AS one (stream, serie, t, i, k, d, source, p, n)
        LEFT JOIN usage.keys AS first ON first.digest = one.d
        WHERE first.event_id IS NULL OR first.event_id = one.i
        ORDER BY one.n
      ) AS e;
    END;
  END $$;
`;

/*
 * property: reads a property by its literal key, because names with dots are common. If there is none, reads it by its path.
 * scalar_text: the text by which values are compared, grouped and counted as distinct. 1.0 and 1 are the same value.
 * numeric_value: the number of a JSON number, or of a text that contains a number.
 */
const PROPERTIES = `
  CREATE FUNCTION usage.property(properties jsonb, name text, path text[]) RETURNS jsonb
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(properties -> name, properties #> path)
  $$;

  CREATE FUNCTION usage.scalar_text(value jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(value)
      WHEN 'string' THEN value #>> '{}'
      WHEN 'number' THEN trim_scale(value::numeric)::text
      WHEN 'boolean' THEN value #>> '{}'
    END
  $$;

  CREATE FUNCTION usage.numeric_value(value jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(value)
      WHEN 'number' THEN value::numeric
      WHEN 'string' THEN
        CASE WHEN length(value #>> '{}') <= 100
              AND value #>> '{}' ~ '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,2})?$'
          THEN (value #>> '{}')::numeric
        END
    END
  $$;
`;

/*
 * meters: one row for each different definition, shared by all its users. A meter is folded up to its watermark (a seq of the log).
 * rollups: a meter's events by series, UTC hour and group. `quantity` is the sum or the maximum. `last_seq` tells whether an hour has
 * changed since a position in the log. There are no foreign keys, because a check of each row would cost more than the row itself.
 * `group_id` is a digest of `group_key`, which can be too long for an index.
 * distinct_values: the digests of the values that occurred, with their hours.
 * recurrences: the number of an hour's values by the hour of their previous occurrence (-infinity: no previous one). The number of distinct
 * values in the hours from a to b is the sum, over these hours, of the values that previously occurred before a. With these counts, that is
 * a sum of some thousand numbers, for any number of values.
 */
const METERS = `
  CREATE TABLE usage.meters (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key         uuid   NOT NULL UNIQUE,
    stream_id   int    NOT NULL REFERENCES usage.streams,
    aggregation jsonb  NOT NULL,
    watermark   bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE INDEX meters_of_stream ON usage.meters (stream_id);

  CREATE TABLE usage.rollups (
    meter_id    bigint      NOT NULL,
    series_id   int         NOT NULL,
    hour        timestamptz NOT NULL,
    group_id    bytea       NOT NULL,
    group_key   jsonb       NOT NULL,
    events      bigint      NOT NULL,
    skipped     bigint      NOT NULL,
    quantity    numeric,
    last_seq    bigint      NOT NULL,
    PRIMARY KEY (meter_id, series_id, hour, group_id)
  ) WITH (fillfactor = 80);

  CREATE TABLE usage.distinct_values (
    meter_id    bigint      NOT NULL,
    series_id   int         NOT NULL,
    group_id    bytea       NOT NULL,
    value       bytea       NOT NULL,
    hour        timestamptz NOT NULL,
    PRIMARY KEY (meter_id, series_id, group_id, value, hour)
  );

  CREATE TABLE usage.recurrences (
    meter_id    bigint      NOT NULL,
    series_id   int         NOT NULL,
    hour        timestamptz NOT NULL,
    seen_before timestamptz NOT NULL,
    group_id    bytea       NOT NULL,
    count       bigint      NOT NULL,
    PRIMARY KEY (meter_id, series_id, hour, seen_before, group_id)
  ) WITH (fillfactor = 80);
`;
