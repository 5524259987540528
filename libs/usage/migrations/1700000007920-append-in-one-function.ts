import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * append_versioned: checks the versions of the gates and appends in one function. Before, it called two others, and took a sixth longer
 * (docs/performance.md). The lock is taken first, so no version changes after the check. No program uses usage.append any more. It stays,
 * so that this migration can be undone.
 */
export class AppendInOneFunction1700000007920 implements MigrationInterface {
  name = 'AppendInOneFunction1700000007920';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION usage.append_versioned(
        workspaces text[], versions bigint[], streams int[], series int[], times timestamptz[], ids text[], keys text[],
        digests uuid[], sources int[], properties jsonb
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION usage.append_versioned(
        workspaces text[], versions bigint[], streams int[], series int[], times timestamptz[], ids text[], keys text[],
        digests uuid[], sources int[], properties jsonb
      ) RETURNS TABLE (place int, first_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
      BEGIN
        PERFORM usage.require_gate_versions(workspaces, versions);
        RETURN QUERY SELECT * FROM usage.append(streams, series, times, ids, keys, digests, sources, properties);
      END $$;
    `);
  }
}
