import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Charges of events, and the statements of an append that passes a gate. `charges` lists what an event was charged when it was stored, each
 * as `[credit type, metric, block or null, credits]`. It is null for events that were not charged.
 *
 * begin_append: takes the shared lock of an append, and returns the positions (counted from 1) of keys that are stored already.
 * append_charged: stores events whose keys were all unknown in the same transaction. Another transaction can have stored such a key
 * meanwhile; then it raises unique_violation, and nothing is stored.
 */
export class UsageCharges1700000004120 implements MigrationInterface {
  name = 'UsageCharges1700000004120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE usage.events ADD COLUMN charges jsonb;

      CREATE OR REPLACE VIEW usage.log AS
        SELECT e.seq, t.workspace_id, s.customer_id, t.event_name, e.timestamp, e.id, e.idempotency_key, e.properties,
          o.name AS source, e.recorded_at, e.charges
        FROM usage.events e
        JOIN usage.series s ON s.id = e.series_id
        JOIN usage.streams t ON t.id = e.stream_id
        JOIN usage.sources o ON o.id = e.source_id;

      CREATE FUNCTION usage.begin_append(digests uuid[]) RETURNS TABLE (place int, first_id text) LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('usage.append', 0));
        RETURN QUERY
          SELECT d.n::int, known.event_id
          FROM unnest(digests) WITH ORDINALITY AS d (digest, n)
          JOIN usage.keys AS known ON known.digest = d.digest;
      END $$;

      CREATE FUNCTION usage.append_charged(
        streams int[], series int[], times timestamptz[], ids text[], keys text[], digests uuid[], sources int[],
        properties jsonb, charges text[]
      ) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
      DECLARE
        recorded timestamptz := clock_timestamp();
      BEGIN
        INSERT INTO usage.keys (digest, event_id)
        SELECT e.d, e.i FROM unnest(digests, ids) AS e (d, i) WHERE e.d IS NOT NULL ORDER BY e.d;

        INSERT INTO usage.events
          (seq, stream_id, series_id, timestamp, id, idempotency_key, properties, source_id, recorded_at, charges)
        SELECT nextval('usage.event_seq'), e.stream, e.serie, e.t, e.i, e.k, e.p, e.source, recorded, e.charge::jsonb
        FROM ROWS FROM (
          unnest(streams, series, times, ids, keys, sources, charges), jsonb_array_elements(properties)
        ) AS e (stream, serie, t, i, k, source, charge, p);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION usage.append_charged, usage.begin_append;
      DROP VIEW usage.log;
      ALTER TABLE usage.events DROP COLUMN charges;
      CREATE VIEW usage.log AS
        SELECT e.seq, t.workspace_id, s.customer_id, t.event_name, e.timestamp, e.id, e.idempotency_key, e.properties,
          o.name AS source, e.recorded_at
        FROM usage.events e
        JOIN usage.series s ON s.id = e.series_id
        JOIN usage.streams t ON t.id = e.stream_id
        JOIN usage.sources o ON o.id = e.source_id;
    `);
  }
}
