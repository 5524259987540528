import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The environment in which the SQL of metrics runs: a role that can read two views, and functions that run as that role. */
export class SqlMetrics1700000003720 implements MigrationInterface {
  name = 'SqlMetrics1700000003720';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [SCOPE, EVENTS, FUNCTIONS, RUN, ROLE]) await runner.query(statement);
    await runner.query('SELECT usage.ensure_sql_role()');
  }

  /** The role is not dropped, because roles belong to the whole server, and another database can need this role. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP SCHEMA sql_metrics CASCADE;
      DROP FUNCTION usage.ensure_sql_role();
      DROP FUNCTION usage.sealed_scope(text);
      DROP VIEW usage.sql_scope;
      DROP TABLE usage.sql_seal
    `);
  }
}

/*
 * The scope of the SQL: the series, the time range and the position in the log. It is a setting of the transaction. It has a seal that can
 * be computed only with the right to read usage.sql_seal. If SQL changed the setting, it would see no events.
 */
const SCOPE = `
  CREATE SCHEMA sql_metrics;

  CREATE TABLE usage.sql_seal (key text NOT NULL);
  INSERT INTO usage.sql_seal SELECT gen_random_uuid()::text || gen_random_uuid()::text;

  CREATE FUNCTION usage.sealed_scope(scope text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(
      key || encode(sha256(convert_to(key || scope, 'UTF8')), 'hex'), 'UTF8')), 'hex') || scope
    FROM usage.sql_seal
  $$;

  CREATE VIEW usage.sql_scope AS
    SELECT (opened.scope ->> 'series')::int AS series_id,
      (opened.scope ->> 'start')::timestamptz AS start_time,
      (opened.scope ->> 'end')::timestamptz AS end_time,
      (opened.scope ->> 'upTo')::bigint AS up_to,
      opened.scope ->> 'customerId' AS customer_id,
      opened.scope ->> 'eventName' AS event_name
    FROM (
      SELECT CASE WHEN left(given.text, 64) = encode(sha256(convert_to(
          seal.key || encode(sha256(convert_to(seal.key || substr(given.text, 65), 'UTF8')), 'hex'), 'UTF8')), 'hex')
        THEN substr(given.text, 65)::jsonb END AS scope
      FROM usage.sql_seal seal, (SELECT current_setting('countinghouse.scope', true) AS text) given
    ) opened;
`;

/* The scope without a check of its seal, for the planner. The planner can estimate with the value of a setting, but not of a subquery. */
const UNCHECKED_SCOPE = `nullif(substr(current_setting('countinghouse.scope', true), 65), '')::jsonb`;

/*
 * The unchecked scope finds the events by the index of series and time, and the sealed scope decides which of them are visible. The sealed
 * scope is compared by functions. Of two equalities the planner would keep only one, namely the one whose value it does not know, and would
 * read the events of all customers.
 */
const EVENTS = `
  CREATE VIEW sql_metrics.events WITH (security_barrier) AS
    SELECT e.id, e.timestamp, e.properties,
      (SELECT customer_id FROM usage.sql_scope) AS customer_id,
      (SELECT event_name FROM usage.sql_scope) AS event_name
    FROM usage.events e
    WHERE e.series_id = (${UNCHECKED_SCOPE} ->> 'series')::int
      AND e.timestamp >= (${UNCHECKED_SCOPE} ->> 'start')::timestamptz
      AND e.timestamp < (${UNCHECKED_SCOPE} ->> 'end')::timestamptz
      AND int4eq(e.series_id, (SELECT series_id FROM usage.sql_scope))
      AND timestamptz_ge(e.timestamp, (SELECT start_time FROM usage.sql_scope))
      AND timestamptz_lt(e.timestamp, (SELECT end_time FROM usage.sql_scope))
      AND int8le(e.seq, (SELECT up_to FROM usage.sql_scope));

  CREATE VIEW sql_metrics.sample_events AS
    SELECT s.id, s.timestamp, s.properties, s.customer_id, s.event_name
    FROM jsonb_to_recordset(coalesce(nullif(current_setting('countinghouse.sample', true), ''), '[]')::jsonb)
      AS s (id text, "timestamp" timestamptz, properties jsonb, customer_id text, event_name text);
`;

/*
 * number: used in the SQL of metrics. property_text: used for their filter and groupBy.
 * The other functions replace those of Postgres, which would round whole numbers as double precision and so not exactly.
 */
const FUNCTIONS = `
  CREATE FUNCTION sql_metrics.number(value jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN trim_scale(usage.numeric_value(value));

  CREATE FUNCTION sql_metrics.property_text(properties jsonb, name text, path text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN usage.scalar_text(usage.property(properties, name, path));

  DO $$
  DECLARE
    name text;
    type text;
  BEGIN
    FOREACH name IN ARRAY ARRAY['ceil', 'ceiling', 'floor', 'round', 'trunc', 'sign'] LOOP
      FOREACH type IN ARRAY ARRAY['smallint', 'integer', 'bigint'] LOOP
        EXECUTE format(
          'CREATE FUNCTION sql_metrics.%I(%s) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
             RETURN pg_catalog.%I($1::numeric)', name, type, name);
      END LOOP;
    END LOOP;
  END $$;
`;

/*
 * Functions that run only as the role that owns them, in which neither SET ROLE nor SET SESSION AUTHORIZATION is possible.
 * run: a measurement. plan: the result of EXPLAIN. type_of: the type of an expression, found by running it.
 */
const RUN = `
  CREATE FUNCTION sql_metrics.assert_role() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF current_user <> 'countinghouse_sql_metrics' THEN
      RAISE EXCEPTION 'SQL of metrics runs as the role countinghouse_sql_metrics only' USING ERRCODE = '42501';
    END IF;
  END $$;

  CREATE FUNCTION sql_metrics.run(query text, parameters jsonb)
  RETURNS TABLE (group_key jsonb, events bigint, quantity numeric)
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = sql_metrics, pg_catalog, pg_temp SET standard_conforming_strings = on SET TimeZone = 'UTC' AS $$
  BEGIN
    PERFORM sql_metrics.assert_role();
    RETURN QUERY EXECUTE query USING parameters;
  END $$;

  CREATE FUNCTION sql_metrics.plan(query text, parameters jsonb) RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = sql_metrics, pg_catalog, pg_temp SET standard_conforming_strings = on SET TimeZone = 'UTC' AS $$
  BEGIN
    PERFORM sql_metrics.assert_role();
    RETURN QUERY EXECUTE 'EXPLAIN ' || query USING parameters;
  END $$;

  CREATE FUNCTION sql_metrics.type_of(query text) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = sql_metrics, pg_catalog, pg_temp SET standard_conforming_strings = on SET TimeZone = 'UTC' AS $$
  DECLARE
    type text;
  BEGIN
    PERFORM sql_metrics.assert_role();
    EXECUTE query INTO type;
    RETURN type;
  END $$;
`;

/*
 * Creates the role if it does not exist and this user has the right to create it, and makes it the owner of the functions. Returns the
 * reason why that is not possible, or null. Metrics of other types do not need the role.
 */
const ROLE = `
  CREATE FUNCTION usage.ensure_sql_role() RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT count(*) FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
        WHERE r.rolname = 'countinghouse_sql_metrics'
          AND p.pronamespace = 'sql_metrics'::regnamespace AND p.proname IN ('run', 'plan', 'type_of')) = 3 THEN
      RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('usage.ensure_sql_role', 0));
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countinghouse_sql_metrics') THEN
      BEGIN
        CREATE ROLE countinghouse_sql_metrics NOLOGIN;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- made for another database just now
      END;
    END IF;
    -- From Postgres 16 on, who makes a role may give it to others, and does not yet have it.
    IF NOT pg_has_role(current_user, 'countinghouse_sql_metrics',
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
      GRANT countinghouse_sql_metrics TO CURRENT_USER;
    END IF;
    GRANT USAGE, CREATE ON SCHEMA sql_metrics TO countinghouse_sql_metrics;
    GRANT SELECT ON sql_metrics.events, sql_metrics.sample_events TO countinghouse_sql_metrics;
    ALTER FUNCTION sql_metrics.run(text, jsonb) OWNER TO countinghouse_sql_metrics;
    ALTER FUNCTION sql_metrics.plan(text, jsonb) OWNER TO countinghouse_sql_metrics;
    ALTER FUNCTION sql_metrics.type_of(text) OWNER TO countinghouse_sql_metrics;
    REVOKE CREATE ON SCHEMA sql_metrics FROM countinghouse_sql_metrics;
    RETURN NULL;
  EXCEPTION WHEN insufficient_privilege THEN
    RETURN SQLERRM;
  END $$;
`;
