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
 * events: append-only. `seq` is the log's order. The columns that are indexed compare bytewise, which is several
 * times faster than by locale and means the same for ids.
 * keys: one row per idempotency key, for ever. Apart from the log, since a unique index of a partitioned table
 * would hold within a partition only.
 * heads: the last seq at which events of one name arrived in a workspace, or a later one: who has read so far
 * has read all.
 */
const LOG = `
  CREATE SCHEMA usage;
  CREATE SEQUENCE usage.event_seq;

  CREATE TABLE usage.events (
    seq             bigint      NOT NULL,
    account_id      text        COLLATE "C" NOT NULL,
    customer_id     text        COLLATE "C" NOT NULL,
    event_name      text        COLLATE "C" NOT NULL,
    timestamp       timestamptz NOT NULL,
    id              text        COLLATE "C" NOT NULL,
    idempotency_key text        COLLATE "C",
    properties      jsonb       NOT NULL,
    source          text        NOT NULL,
    recorded_at     timestamptz NOT NULL,
    PRIMARY KEY (account_id, event_name, seq, recorded_at)
  ) PARTITION BY RANGE (recorded_at);
  CREATE INDEX events_of_customer ON usage.events (account_id, customer_id, timestamp, seq);
  CREATE INDEX events_of_account ON usage.events (account_id, timestamp, seq);

  CREATE TABLE usage.keys (
    account_id      text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    event_id        text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, idempotency_key)
  );

  CREATE TABLE usage.heads (
    account_id text   COLLATE "C" NOT NULL,
    event_name text   COLLATE "C" NOT NULL,
    last_seq   bigint NOT NULL,
    PRIMARY KEY (account_id, event_name)
  ) WITH (fillfactor = 50);
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
 * Appends a group of events in one round trip. The lock is taken before the first seq and is held until the commit,
 * so events become visible in the order of their seq: a reader that has seen seq n has seen all before it.
 * Under the lock a key that is already there is committed and visible, so its first event's id can be told.
 * Answers the (1-based) places of the events that had been there before, and those events' ids.
 */
const APPEND = `
  CREATE FUNCTION usage.append(
    accounts text[], customers text[], names text[], times timestamptz[], ids text[], keys text[], sources text[],
    properties jsonb, head_accounts text[], head_names text[]
  ) RETURNS TABLE (place int, first_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    claimed bigint;
    recorded timestamptz;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('usage.append', 0));
    recorded := clock_timestamp();

    INSERT INTO usage.keys (account_id, idempotency_key, event_id)
    SELECT e.a, e.k, e.i FROM unnest(accounts, keys, ids) AS e (a, k, i) WHERE e.k IS NOT NULL
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS claimed = ROW_COUNT;

    IF claimed = cardinality(array_remove(keys, NULL)) THEN
      INSERT INTO usage.events
      SELECT nextval('usage.event_seq'), e.a, e.c, e.n, e.t, e.i, e.k, e.p, e.s, recorded
      FROM ROWS FROM (
        unnest(accounts, customers, names, times, ids, keys, sources), jsonb_array_elements(properties)
      ) AS e (a, c, n, t, i, k, s, p);
    ELSE
      RETURN QUERY
        SELECT e.place::int, first.event_id
        FROM unnest(accounts, keys, ids) WITH ORDINALITY AS e (a, k, i, place)
        JOIN usage.keys AS first ON first.account_id = e.a AND first.idempotency_key = e.k
        WHERE first.event_id <> e.i;
      INSERT INTO usage.events
      SELECT nextval('usage.event_seq'), fresh.* FROM (
        SELECT e.a, e.c, e.n, e.t, e.i, e.k, e.p, e.s, recorded
        FROM ROWS FROM (
          unnest(accounts, customers, names, times, ids, keys, sources), jsonb_array_elements(properties)
        ) WITH ORDINALITY AS e (a, c, n, t, i, k, s, p, place)
        LEFT JOIN usage.keys AS first ON first.account_id = e.a AND first.idempotency_key = e.k
        WHERE first.event_id IS NULL OR first.event_id = e.i
        ORDER BY e.place
      ) AS fresh;
      IF NOT FOUND THEN RETURN; END IF;
    END IF;

    INSERT INTO usage.heads AS head (account_id, event_name, last_seq)
    SELECT h.a, h.n, currval('usage.event_seq') FROM unnest(head_accounts, head_names) AS h (a, n)
    ON CONFLICT (account_id, event_name) DO UPDATE SET last_seq = excluded.last_seq;
    PERFORM pg_notify('usage_appended', '');
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
 * rollups: a meter's events per customer, UTC hour and group. `quantity` is the sum or the maximum; `last_seq` says
 * whether anything came late. `group_id` is a digest of `group_key`, which may be longer than an index entry can be.
 * distinct_values: digests of the values that were seen in the hour.
 */
const METERS = `
  CREATE TABLE usage.meters (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key         uuid   NOT NULL UNIQUE,
    account_id  text   COLLATE "C" NOT NULL,
    event_name  text   COLLATE "C" NOT NULL,
    aggregation jsonb  NOT NULL,
    watermark   bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE INDEX meters_of_event ON usage.meters (account_id, event_name);

  CREATE TABLE usage.rollups (
    meter_id    bigint      NOT NULL REFERENCES usage.meters ON DELETE CASCADE,
    customer_id text        COLLATE "C" NOT NULL,
    hour        timestamptz NOT NULL,
    group_id    bytea       NOT NULL,
    group_key   jsonb       NOT NULL,
    events      bigint      NOT NULL,
    skipped     bigint      NOT NULL,
    quantity    numeric,
    last_seq    bigint      NOT NULL,
    PRIMARY KEY (meter_id, customer_id, hour, group_id)
  ) WITH (fillfactor = 80);

  CREATE TABLE usage.distinct_values (
    meter_id    bigint      NOT NULL REFERENCES usage.meters ON DELETE CASCADE,
    customer_id text        COLLATE "C" NOT NULL,
    hour        timestamptz NOT NULL,
    group_id    bytea       NOT NULL,
    value       bytea       NOT NULL,
    PRIMARY KEY (meter_id, customer_id, hour, group_id, value)
  );
`;
