import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The stored but uncounted usage of each workspace that was not reported yet. `since` and `until` are null if there is none. `due_at`: the
 * instant from which the workspace can be notified again, by the machine's clock.
 */
export class UnmatchedUsage1700000004030 implements MigrationInterface {
  name = 'UnmatchedUsage1700000004030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage.unmatched (
        workspace_id text        COLLATE "C" PRIMARY KEY,
        count      bigint      NOT NULL DEFAULT 0,
        warnings   jsonb       NOT NULL DEFAULT '[]',
        since      timestamptz,
        until      timestamptz,
        due_at     timestamptz NOT NULL DEFAULT now()
      ) WITH (fillfactor = 50);
      CREATE INDEX unmatched_due ON usage.unmatched (due_at) WHERE count > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage.unmatched');
  }
}
