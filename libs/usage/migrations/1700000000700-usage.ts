import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The usage log, the keys that it deduplicates by, and the meters' rollups. */
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
 * streams, series and sources: what every event repeats, as a number. It makes the log half as large and its indexes
 * three times as quick to write. A stream is a workspace's events of one name, a series is one customer's part of it.
 * events: append-only. `seq` is the log's order.
 * keys: a row per idempotency key, for ever. Apart from the log, since a unique index of a partitioned table would
 * hold within a partition only; a digest, since keys may be long.
 * log: the events with their names, for people.
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
 * A partition per month of arrival, not of the events' own time: a sandbox's clock can stand anywhere, and would
 * make partitions without end. Attaching, unlike CREATE … PARTITION OF, does not lock readers and writers out.
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
 * append: a group of events in one round trip. Writers share a lock from before their first seq until they have
 * committed, so whoever gets the lock for itself (head) knows that every seq drawn so far is in the log or never will
 * be: a reader that goes as far as head misses nothing, and what it has read never changes.
 * Keys are first inserted as if none was there, which is a third quicker than ON CONFLICT and nearly always right;
 * in the order of their digests, so that two writers with the same keys wait for each other and do not deadlock.
 * Answers the (1-based) places of the events that had been there before, and those events' ids.
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
 * property: by its literal key (names with dots in them are common), else by its path.
 * scalar_text: what equality, grouping and counting of distinct values go by. 1.0 and 1 are one value.
 * numeric_value: numbers, and text that is one.
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
 * meters: one per distinct definition, whoever uses it; folded up to its watermark (a seq of the log).
 * rollups: a meter's events per series, UTC hour and group. `quantity` is the sum or the maximum; `last_seq` tells
 * whether an hour has changed since some place in the log. No foreign keys: a check per row would cost more than the
 * row, and nothing is ever deleted. `group_id` is a digest of `group_key`, which can be too long for an index.
 * distinct_values: digests of the values that were seen, and in which hours.
 * recurrences: how many of an hour's values were last seen in which hour before it (-infinity: in none). The distinct
 * values of the hours from a to b are those of each hour that were last seen before a: with these counts that is a sum
 * of some thousand numbers, however many values there are.
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
