import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The time at which the task's event was stored. It is the time in the ids that the task makes. Earlier tasks have no such time, so their
 * ids are only a hash.
 */
export class EventTimes1700000004110 implements MigrationInterface {
  name = 'EventTimes1700000004110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE saga.tasks ADD COLUMN event_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE saga.tasks DROP COLUMN event_at');
  }
}
