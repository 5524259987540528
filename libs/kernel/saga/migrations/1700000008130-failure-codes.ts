import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The code of the error with which the last attempt of a task failed, and an index by it. They tell which tasks wait for a system outside,
 * such as a payment gateway. Tasks that failed before have no code until their next attempt. The index is created concurrently, so tasks
 * can be stored meanwhile.
 */
export class FailureCodes1700000008130 implements MigrationInterface {
  name = 'FailureCodes1700000008130';
  /** Postgres cannot create an index concurrently within a transaction. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE saga.tasks ADD COLUMN IF NOT EXISTS last_error_code text');
    // An interrupted creation leaves an unusable index.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS saga.tasks_by_failure');
    await runner.query(
      `CREATE INDEX CONCURRENTLY tasks_by_failure ON saga.tasks (workspace_id, last_error_code, wakes_at)
       WHERE last_error_code IS NOT NULL AND status IN ('pending', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX saga.tasks_by_failure');
    await runner.query('ALTER TABLE saga.tasks DROP COLUMN last_error_code');
  }
}
