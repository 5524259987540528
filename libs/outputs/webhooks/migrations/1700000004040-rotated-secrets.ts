import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The signing secrets of an endpoint, each under its id. Its events say which of them sign. */
export class RotatedSecrets1700000004040 implements MigrationInterface {
  name = 'RotatedSecrets1700000004040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks.secrets (
        secret_id  text PRIMARY KEY,
        webhook_id text NOT NULL REFERENCES webhooks.endpoints (webhook_id) ON DELETE CASCADE,
        secret     text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX secrets_of_webhook ON webhooks.secrets (webhook_id);
      INSERT INTO webhooks.secrets (secret_id, webhook_id, secret, created_at)
        SELECT webhook_id, webhook_id, secret, created_at FROM webhooks.endpoints;
      ALTER TABLE webhooks.endpoints DROP COLUMN secret;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks.endpoints ADD COLUMN secret text;
      UPDATE webhooks.endpoints e SET secret = (
        SELECT s.secret FROM webhooks.secrets s WHERE s.webhook_id = e.webhook_id ORDER BY s.created_at DESC LIMIT 1);
      ALTER TABLE webhooks.endpoints ALTER COLUMN secret SET NOT NULL;
      DROP TABLE webhooks.secrets;
    `);
  }
}
