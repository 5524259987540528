import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace of each task, and indexes of the tasks that were given up and of the tasks that are done. */
export class SagaUpkeep1700000003400 implements MigrationInterface {
  name = 'SagaUpkeep1700000003400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE saga.tasks ADD COLUMN trace_parent text;
      CREATE INDEX tasks_failed ON saga.tasks (process) WHERE status = 'failed';
      CREATE INDEX tasks_done ON saga.tasks (done_at) WHERE status = 'done';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX saga.tasks_done, saga.tasks_failed;
      ALTER TABLE saga.tasks DROP COLUMN trace_parent;
    `);
  }
}
