import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tasks of a sandbox's clock that nobody waits for who moves it. A webhook is retried by that clock, and a receiver that
 * never answers must not hold the clock up.
 */
export class UnawaitedTasks1700000004042 implements MigrationInterface {
  name = 'UnawaitedTasks1700000004042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE saga.tasks ADD COLUMN awaited boolean NOT NULL DEFAULT true;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE saga.tasks SET clock = 'system', due_at = now() WHERE NOT awaited AND status = 'pending';
      ALTER TABLE saga.tasks DROP COLUMN awaited;
    `);
  }
}
