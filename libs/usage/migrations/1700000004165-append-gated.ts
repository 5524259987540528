import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * append_gated: usage.append_charged for a gate that has decided before the transaction. The statement must have taken the shared lock of an
 * append before, by require_gate_versions. It raises unique_violation if a key is stored already, and then nothing is stored.
 */
export class AppendGated1700000004165 implements MigrationInterface {
  name = 'AppendGated1700000004165';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION usage.append_gated(
        streams int[], series int[], times timestamptz[], ids text[], keys text[],
        digests uuid[], sources int[], properties jsonb, charges text[], refused uuid[]
      ) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM usage.keys AS known WHERE known.digest = ANY (refused)) THEN
          RAISE unique_violation USING MESSAGE = 'an event that was refused is stored already';
        END IF;
        PERFORM usage.append_charged(streams, series, times, ids, keys, digests, sources, properties, charges);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION usage.append_gated');
  }
}
