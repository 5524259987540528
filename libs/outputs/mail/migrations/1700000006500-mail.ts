import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table for mail: what waits to be sent, and what became of it. */
export class Mail1700000006500 implements MigrationInterface {
  name = 'Mail1700000006500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA mail;
      CREATE TABLE mail.messages (
        id              text PRIMARY KEY,
        number          bigint GENERATED ALWAYS AS IDENTITY,
        workspace_id    text NOT NULL,
        kind            text NOT NULL,
        about           text NOT NULL,
        content         text NOT NULL,
        status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'failed', 'withheld')),
        message_id      text,
        attempts        integer NOT NULL DEFAULT 0,
        answer          text,
        created_at      timestamptz NOT NULL,
        useful_until    timestamptz NOT NULL,
        next_attempt_at timestamptz NOT NULL,
        ended_at        timestamptz,
        CHECK ((status = 'pending') = (ended_at IS NULL))
      );
      CREATE INDEX messages_by_time ON mail.messages (number);
      CREATE INDEX messages_of_workspace ON mail.messages (workspace_id, about);
      CREATE INDEX messages_by_age ON mail.messages (created_at) WHERE status <> 'pending';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA mail CASCADE');
  }
}
