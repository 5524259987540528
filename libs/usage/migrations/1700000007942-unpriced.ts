import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A workspace is notified of unmatched and of unpriced usage separately, so each workspace has a row of each kind. */
export class UnpricedUsage1700000007942 implements MigrationInterface {
  name = 'UnpricedUsage1700000007942';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE usage.unmatched ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'unmatched';
      ALTER TABLE usage.unmatched DROP CONSTRAINT unmatched_pkey, ADD PRIMARY KEY (workspace_id, kind);
      ALTER TABLE usage.unmatched ALTER COLUMN kind DROP DEFAULT;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM usage.unmatched WHERE kind <> 'unmatched';
      ALTER TABLE usage.unmatched DROP CONSTRAINT unmatched_pkey, ADD PRIMARY KEY (workspace_id);
      ALTER TABLE usage.unmatched DROP COLUMN kind;
    `);
  }
}
