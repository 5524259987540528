import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The position up to which each relay has sent the log to other systems. */
export class Relays1700000002300 implements MigrationInterface {
  name = 'Relays1700000002300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE saga.relays (name text PRIMARY KEY, position bigint)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saga.relays');
  }
}
