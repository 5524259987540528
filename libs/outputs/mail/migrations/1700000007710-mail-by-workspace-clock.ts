import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time at which mail was written by the workspace's clock. It is null for mail of before, and for mail to users. */
export class MailByWorkspaceClock1700000007710 implements MigrationInterface {
  name = 'MailByWorkspaceClock1700000007710';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail.messages ADD COLUMN written_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail.messages DROP COLUMN written_at');
  }
}
