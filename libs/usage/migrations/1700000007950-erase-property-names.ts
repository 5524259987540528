import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Names of properties can be personal data too, such as the addresses in `{"ada@example.com": 3}`. An erasure replaces them.
 *
 * erased_names: replaces the names of properties, except those on the paths in `named`, by which metrics find their values. What is below
 * a path in `kept` stays as it is. Different names stay different. A replaced name is not replaced again.
 *
 * erase_properties: as before, and replaces the names.
 */
export class ErasePropertyNames1700000007950 implements MigrationInterface {
  name = 'ErasePropertyNames1700000007950';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION usage.erased_names(value jsonb, path text, kept text[], named text[], salt bytea)
      RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
      BEGIN
        IF path = ANY(kept) THEN RETURN value; END IF;
        CASE jsonb_typeof(value)
          WHEN 'object' THEN
            RETURN (
              SELECT coalesce(jsonb_object_agg(
                CASE WHEN EXISTS (SELECT FROM unnest(named) n WHERE n = p.path OR starts_with(n, p.path || '.'))
                  THEN p.key ELSE usage.replaced_text(p.key, salt) END,
                usage.erased_names(p.value, p.path, kept, named, salt)), '{}')
              FROM (SELECT e.key, e.value, concat_ws('.', path, e.key) AS path FROM jsonb_each(value) e) p);
          WHEN 'array' THEN
            RETURN (
              SELECT coalesce(jsonb_agg(
                usage.erased_names(e.value, concat_ws('.', path, (e.n - 1)::text), kept, named, salt) ORDER BY e.n), '[]')
              FROM jsonb_array_elements(value) WITH ORDINALITY AS e (value, n));
          ELSE RETURN value;
        END CASE;
      END $$;

      CREATE OR REPLACE FUNCTION usage.erase_properties(workspace text, customer text, sql jsonb, after bigint, batch int)
      RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        salt bytea;
        last bigint;
      BEGIN
        IF EXISTS (
          SELECT FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id
          JOIN usage.meters m ON m.stream_id = t.id
          WHERE t.workspace_id = workspace AND s.customer_id = customer
            AND m.watermark < (SELECT max(e.seq) FROM usage.events e WHERE e.series_id = s.id)
        ) THEN RETURN -1; END IF;
        SELECT k.key INTO salt FROM vault.keys k WHERE k.subject = workspace || '.' || customer;
        salt := coalesce(salt, sha256(uuid_send(gen_random_uuid())));

        CREATE TEMP TABLE erasing ON COMMIT DROP AS
          SELECT e.seq, e.stream_id, e.series_id, e.recorded_at, e.properties, paths.kept, paths.counted, paths.named
          FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id
          JOIN usage.events e ON e.series_id = s.id AND e.stream_id = t.id
          CROSS JOIN LATERAL (
            SELECT
              array(
                SELECT f.value ->> 0 FROM usage.meters m, jsonb_array_elements(m.aggregation -> 'filter') f
                WHERE m.stream_id = t.id
                UNION SELECT g FROM usage.meters m, jsonb_array_elements_text(m.aggregation -> 'groupBy') g
                WHERE m.stream_id = t.id
                UNION SELECT m.aggregation ->> 'property' FROM usage.meters m
                WHERE m.stream_id = t.id AND m.aggregation ->> 'type' IN ('sum', 'max')
                UNION SELECT p FROM jsonb_array_elements(sql) q, jsonb_object_keys(e.properties) p
                WHERE q ->> 'eventName' = t.event_name AND strpos(q ->> 'text', p) > 0
              ) AS kept,
              array(
                SELECT m.aggregation ->> 'property' FROM usage.meters m
                WHERE m.stream_id = t.id AND m.aggregation ->> 'type' = 'count_distinct'
              ) AS counted,
              array(
                SELECT m.aggregation ->> 'property' FROM usage.meters m
                WHERE m.stream_id = t.id AND m.aggregation ->> 'property' IS NOT NULL
              ) AS named
          ) paths
          WHERE t.workspace_id = workspace AND s.customer_id = customer AND e.seq > after
          ORDER BY e.seq LIMIT batch;
        SELECT max(seq) INTO last FROM pg_temp.erasing;

        UPDATE usage.distinct_values d
        SET value = substring(sha256(convert_to(usage.replaced_text(c.text, salt), 'UTF8')) FOR 16)
        FROM (
          SELECT DISTINCT m.id AS meter_id, b.series_id,
            usage.property(b.properties, path, string_to_array(path, '.')) #>> '{}' AS text
          FROM pg_temp.erasing b JOIN usage.meters m ON m.stream_id = b.stream_id
          CROSS JOIN LATERAL (SELECT m.aggregation ->> 'property' AS path) p
          WHERE m.aggregation ->> 'type' = 'count_distinct' AND NOT path = ANY(b.kept)
            AND jsonb_typeof(usage.property(b.properties, path, string_to_array(path, '.'))) = 'string'
        ) c
        WHERE d.meter_id = c.meter_id AND d.series_id = c.series_id
          AND d.value = substring(sha256(convert_to(c.text, 'UTF8')) FOR 16);

        UPDATE usage.events e
        SET properties = usage.erased_names(
            usage.erased_properties(b.properties, NULL, b.kept, b.counted, salt), NULL, b.kept, b.kept || b.named, salt),
          idempotency_key = NULL
        FROM pg_temp.erasing b
        WHERE e.stream_id = b.stream_id AND e.seq = b.seq AND e.recorded_at = b.recorded_at;
        DROP TABLE pg_temp.erasing;
        RETURN last;
      END $$;
    `);
  }

  /** Names that were replaced stay replaced. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION usage.erase_properties(workspace text, customer text, sql jsonb, after bigint, batch int)
      RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        salt bytea;
        last bigint;
      BEGIN
        IF EXISTS (
          SELECT FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id
          JOIN usage.meters m ON m.stream_id = t.id
          WHERE t.workspace_id = workspace AND s.customer_id = customer
            AND m.watermark < (SELECT max(e.seq) FROM usage.events e WHERE e.series_id = s.id)
        ) THEN RETURN -1; END IF;
        SELECT k.key INTO salt FROM vault.keys k WHERE k.subject = workspace || '.' || customer;
        salt := coalesce(salt, sha256(uuid_send(gen_random_uuid())));

        CREATE TEMP TABLE erasing ON COMMIT DROP AS
          SELECT e.seq, e.stream_id, e.series_id, e.recorded_at, e.properties, paths.kept, paths.counted
          FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id
          JOIN usage.events e ON e.series_id = s.id AND e.stream_id = t.id
          CROSS JOIN LATERAL (
            SELECT
              array(
                SELECT f.value ->> 0 FROM usage.meters m, jsonb_array_elements(m.aggregation -> 'filter') f
                WHERE m.stream_id = t.id
                UNION SELECT g FROM usage.meters m, jsonb_array_elements_text(m.aggregation -> 'groupBy') g
                WHERE m.stream_id = t.id
                UNION SELECT m.aggregation ->> 'property' FROM usage.meters m
                WHERE m.stream_id = t.id AND m.aggregation ->> 'type' IN ('sum', 'max')
                UNION SELECT p FROM jsonb_array_elements(sql) q, jsonb_object_keys(e.properties) p
                WHERE q ->> 'eventName' = t.event_name AND strpos(q ->> 'text', p) > 0
              ) AS kept,
              array(
                SELECT m.aggregation ->> 'property' FROM usage.meters m
                WHERE m.stream_id = t.id AND m.aggregation ->> 'type' = 'count_distinct'
              ) AS counted
          ) paths
          WHERE t.workspace_id = workspace AND s.customer_id = customer AND e.seq > after
          ORDER BY e.seq LIMIT batch;
        SELECT max(seq) INTO last FROM pg_temp.erasing;

        UPDATE usage.distinct_values d
        SET value = substring(sha256(convert_to(usage.replaced_text(c.text, salt), 'UTF8')) FOR 16)
        FROM (
          SELECT DISTINCT m.id AS meter_id, b.series_id,
            usage.property(b.properties, path, string_to_array(path, '.')) #>> '{}' AS text
          FROM pg_temp.erasing b JOIN usage.meters m ON m.stream_id = b.stream_id
          CROSS JOIN LATERAL (SELECT m.aggregation ->> 'property' AS path) p
          WHERE m.aggregation ->> 'type' = 'count_distinct' AND NOT path = ANY(b.kept)
            AND jsonb_typeof(usage.property(b.properties, path, string_to_array(path, '.'))) = 'string'
        ) c
        WHERE d.meter_id = c.meter_id AND d.series_id = c.series_id
          AND d.value = substring(sha256(convert_to(c.text, 'UTF8')) FOR 16);

        UPDATE usage.events e
        SET properties = usage.erased_properties(b.properties, NULL, b.kept, b.counted, salt), idempotency_key = NULL
        FROM pg_temp.erasing b
        WHERE e.stream_id = b.stream_id AND e.seq = b.seq AND e.recorded_at = b.recorded_at;
        DROP TABLE pg_temp.erasing;
        RETURN last;
      END $$;

      DROP FUNCTION usage.erased_names;
    `);
  }
}
