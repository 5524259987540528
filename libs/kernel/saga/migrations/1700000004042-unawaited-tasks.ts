import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tasks on a sandbox's clock for which an advance of this clock does not wait. Webhooks are retried by that clock, and a receiver that
 * never answers must not stop the clock.
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
