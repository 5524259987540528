import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The signing secrets of webhook endpoints, and the deliveries to them. */
export class Webhooks1700000001200 implements MigrationInterface {
  name = 'Webhooks1700000001200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA webhooks;
      CREATE TABLE webhooks.endpoints (
        webhook_id    text PRIMARY KEY,
        workspace_id    text NOT NULL,
        secret        text NOT NULL,
        failing_since timestamptz,
        created_at    timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX endpoints_of_workspace ON webhooks.endpoints (workspace_id);
      CREATE TABLE webhooks.deliveries (
        id              text PRIMARY KEY,
        number          bigint GENERATED ALWAYS AS IDENTITY,
        workspace_id      text NOT NULL,
        webhook_id      text NOT NULL,
        event           text NOT NULL,
        body            text NOT NULL,
        is_test         boolean NOT NULL,
        status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
        failure         text,
        attempts        integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz,
        created_at      timestamptz NOT NULL
      );
      CREATE INDEX deliveries_of_webhook ON webhooks.deliveries (webhook_id, number);
      CREATE TABLE webhooks.attempts (
        delivery_id     text NOT NULL REFERENCES webhooks.deliveries (id),
        number          integer NOT NULL,
        attempted_at    timestamptz NOT NULL,
        status_code     integer,
        error           text,
        duration_millis integer NOT NULL,
        response        text,
        PRIMARY KEY (delivery_id, number)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA webhooks CASCADE');
  }
}
