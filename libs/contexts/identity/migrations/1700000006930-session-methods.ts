import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds how the user of a session signed in. It is not known of sessions that began before. */
export class SessionMethods1700000006930 implements MigrationInterface {
  name = 'SessionMethods1700000006930';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.sessions ADD COLUMN method text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.sessions DROP COLUMN method');
  }
}
