import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The versions that a process must compare before it charges wallets by its memory of them.
 *
 * wallets: `version` grows with each change of what the wallet has left. So a settlement does not change it. A row begins with the
 * microseconds of the machine's clock, so that a row which is made again never repeats a version. `span`: grows when unsettled draws are
 * frozen. draw_down: adds draws to wallets, and returns their spans. It raises `CG002` if a version is not current, or if a command changes
 * the wallet. `totals` are all draws of a wallet's known span; null compares only the version, and the version of a missing wallet is -1.
 * `added` are the draws that are new, which are the only ones if another span has begun.
 */
export class WalletVersions1700000004170 implements MigrationInterface {
  name = 'WalletVersions1700000004170';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE credits.wallets
        ADD COLUMN version bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint,
        ADD COLUMN span bigint NOT NULL DEFAULT 0;

      CREATE FUNCTION credits.draw_down(
        workspaces text[], customers text[], types text[], versions bigint[], spans bigint[], totals text[], added text[]
      ) RETURNS bigint[] LANGUAGE plpgsql
        SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        drawn bigint[];
      BEGIN
        -- A nested loop usually updates the rows in the order of the arrays, so two processes seldom wait for each other. If they do, one of
        -- them is refused as a deadlock, and its usage is tried again.
        WITH updated AS (
          UPDATE credits.wallets w SET
            unsettled = CASE WHEN w.span = k.span THEN k.total ELSE k.added END::jsonb,
            unsettled_since = coalesce(w.unsettled_since, now()),
            version = w.version + 1
          FROM unnest(workspaces, customers, types, versions, spans, totals, added) WITH ORDINALITY
            AS k (workspace_id, customer_id, credit_type, version, span, total, added, place)
          WHERE w.workspace_id = k.workspace_id AND w.customer_id = k.customer_id AND w.credit_type = k.credit_type
            AND w.version = k.version AND NOT w.changing AND k.total IS NOT NULL
          RETURNING k.place, w.span
        )
        SELECT coalesce(array_agg(u.span ORDER BY u.place), '{}') INTO drawn FROM updated u;
        IF cardinality(drawn) <> cardinality(array_remove(totals, NULL)) OR array_position(totals, NULL) IS NOT NULL AND EXISTS (
          SELECT FROM unnest(workspaces, customers, types, versions, totals)
            AS k (workspace_id, customer_id, credit_type, version, total)
          LEFT JOIN credits.wallets w
            ON w.workspace_id = k.workspace_id AND w.customer_id = k.customer_id AND w.credit_type = k.credit_type
          WHERE k.total IS NULL AND (coalesce(w.version, -1) <> k.version OR w.changing)
        ) THEN
          RAISE EXCEPTION 'a wallet has changed' USING ERRCODE = 'CG002';
        END IF;
        RETURN drawn;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION credits.draw_down;
      ALTER TABLE credits.wallets DROP COLUMN version, DROP COLUMN span;
    `);
  }
}
