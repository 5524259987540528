import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The versions of what gates want from the usage of workspaces. A writer remembers what they want, and its knowledge may be outdated. So an
 * append says by which versions it was prepared, and nothing is stored if one of them is no longer current.
 *
 * gate_versions: the present version of each workspace. 0 if it has no row.
 * require_gate_versions: takes the shared lock of an append, and raises `CG001` if a version is not current. A change of a version holds
 * that lock exclusively. So all usage that was stored before the change is visible after it, and all later usage obeys it.
 * append_versioned, begin_append_versioned: usage.append and usage.begin_append after that check.
 */
export class GateVersions1700000004140 implements MigrationInterface {
  name = 'GateVersions1700000004140';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage.gate_versions (
        workspace_id text COLLATE "C" PRIMARY KEY,
        version      bigint NOT NULL
      );

      CREATE FUNCTION usage.require_gate_versions(workspaces text[], versions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('usage.append', 0));
        IF EXISTS (
          SELECT FROM unnest(workspaces, versions) AS known (workspace_id, version)
          WHERE known.version <> coalesce(
            (SELECT g.version FROM usage.gate_versions g WHERE g.workspace_id = known.workspace_id), 0)
        ) THEN
          RAISE EXCEPTION 'what gates want has changed' USING ERRCODE = 'CG001';
        END IF;
      END $$;

      CREATE FUNCTION usage.append_versioned(
        workspaces text[], versions bigint[], streams int[], series int[], times timestamptz[], ids text[], keys text[],
        digests uuid[], sources int[], properties jsonb
      ) RETURNS TABLE (place int, first_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
      BEGIN
        PERFORM usage.require_gate_versions(workspaces, versions);
        RETURN QUERY SELECT * FROM usage.append(streams, series, times, ids, keys, digests, sources, properties);
      END $$;

      CREATE FUNCTION usage.begin_append_versioned(workspaces text[], versions bigint[], digests uuid[])
      RETURNS TABLE (place int, first_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
      BEGIN
        PERFORM usage.require_gate_versions(workspaces, versions);
        RETURN QUERY SELECT * FROM usage.begin_append(digests);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION usage.append_versioned, usage.begin_append_versioned, usage.require_gate_versions;
      DROP TABLE usage.gate_versions;
    `);
  }
}
