import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the event was stored that led to a task: the time in the ids of what the task makes. Tasks from before keep to the ids of a hash. */
export class EventTimes1700000004110 implements MigrationInterface {
  name = 'EventTimes1700000004110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE saga.tasks ADD COLUMN event_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE saga.tasks DROP COLUMN event_at');
  }
}
