import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The customers whose usage is watched. `moved` means that changed usage was folded, and that the watcher was not notified yet. */
export class UsageWatches1700000003900 implements MigrationInterface {
  name = 'UsageWatches1700000003900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage.watches (
        workspace_id  text    COLLATE "C" NOT NULL,
        customer_id text    COLLATE "C" NOT NULL,
        watcher     text    COLLATE "C" NOT NULL,
        moved       boolean NOT NULL DEFAULT false,
        PRIMARY KEY (workspace_id, customer_id, watcher)
      ) WITH (fillfactor = 70);
      CREATE INDEX watches_moved ON usage.watches (workspace_id) WHERE moved;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage.watches');
  }
}
