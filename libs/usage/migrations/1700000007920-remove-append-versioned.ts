import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An append without gates checks the versions in its own statement. A function for both took longer. */
export class RemoveAppendVersioned1700000007920 implements MigrationInterface {
  name = 'RemoveAppendVersioned1700000007920';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION usage.append_versioned');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION usage.append_versioned(
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
