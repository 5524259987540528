import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * keys.content: a digest of what the event with the key had, so that a repeated key with other content is told. Null for events of earlier
 * versions. The functions have one more parameter, `contents`. The functions without it stay for programs of earlier versions.
 */
export class KeyContents1700000007930 implements MigrationInterface {
  name = 'KeyContents1700000007930';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE usage.keys ADD COLUMN content uuid;

      CREATE FUNCTION usage.append_versioned(
        workspaces text[], versions bigint[], streams int[], series int[], times timestamptz[], ids text[], keys text[],
        digests uuid[], sources int[], properties jsonb, contents uuid[]
      ) RETURNS TABLE (place int, first_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
      DECLARE
        recorded timestamptz;
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('usage.append', 0));
        IF EXISTS (
          SELECT FROM unnest(workspaces, versions) AS known (workspace_id, version)
          WHERE known.version <> coalesce(
            (SELECT g.version FROM usage.gate_versions g WHERE g.workspace_id = known.workspace_id), 0)
        ) THEN
          RAISE EXCEPTION 'what gates want has changed' USING ERRCODE = 'CG001';
        END IF;
        recorded := clock_timestamp();
        BEGIN
          INSERT INTO usage.keys (digest, event_id, content)
          SELECT e.d, e.i, e.c FROM unnest(digests, ids, contents) AS e (d, i, c) WHERE e.d IS NOT NULL ORDER BY e.d;

          INSERT INTO usage.events
            (seq, stream_id, series_id, timestamp, id, idempotency_key, properties, source_id, recorded_at)
          SELECT nextval('usage.event_seq'), e.stream, e.serie, e.t, e.i, e.k, e.p, e.source, recorded
          FROM ROWS FROM (
            unnest(streams, series, times, ids, keys, sources), jsonb_array_elements(properties)
          ) AS e (stream, serie, t, i, k, source, p);
        EXCEPTION WHEN unique_violation THEN
          INSERT INTO usage.keys (digest, event_id, content)
          SELECT e.d, e.i, e.c FROM unnest(digests, ids, contents) WITH ORDINALITY AS e (d, i, c, n)
          WHERE e.d IS NOT NULL ORDER BY e.d, e.n
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

      CREATE FUNCTION usage.append_charged(
        streams int[], series int[], times timestamptz[], ids text[], keys text[], digests uuid[], sources int[],
        properties jsonb, charges text[], contents uuid[]
      ) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
      DECLARE
        recorded timestamptz := clock_timestamp();
      BEGIN
        INSERT INTO usage.keys (digest, event_id, content)
        SELECT e.d, e.i, e.c FROM unnest(digests, ids, contents) AS e (d, i, c) WHERE e.d IS NOT NULL ORDER BY e.d;

        INSERT INTO usage.events
          (seq, stream_id, series_id, timestamp, id, idempotency_key, properties, source_id, recorded_at, charges)
        SELECT nextval('usage.event_seq'), e.stream, e.serie, e.t, e.i, e.k, e.p, e.source, recorded, e.charge::jsonb
        FROM ROWS FROM (
          unnest(streams, series, times, ids, keys, sources, charges), jsonb_array_elements(properties)
        ) AS e (stream, serie, t, i, k, source, charge, p);
      END $$;

      CREATE FUNCTION usage.append_gated(
        streams int[], series int[], times timestamptz[], ids text[], keys text[],
        digests uuid[], sources int[], properties jsonb, charges text[], refused uuid[], contents uuid[]
      ) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM usage.keys AS known WHERE known.digest = ANY (refused)) THEN
          RAISE unique_violation USING MESSAGE = 'an event that was refused is stored already';
        END IF;
        PERFORM usage.append_charged(
          streams, series, times, ids, keys, digests, sources, properties, charges, contents);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION usage.append_gated(
        int[], int[], timestamptz[], text[], text[], uuid[], int[], jsonb, text[], uuid[], uuid[]);
      DROP FUNCTION usage.append_charged(
        int[], int[], timestamptz[], text[], text[], uuid[], int[], jsonb, text[], uuid[]);
      DROP FUNCTION usage.append_versioned(
        text[], bigint[], int[], int[], timestamptz[], text[], text[], uuid[], int[], jsonb, uuid[]);
      ALTER TABLE usage.keys DROP COLUMN content;
    `);
  }
}
