import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many attempts in a row have failed at an endpoint, so that one that keeps failing is asked less often. */
export class WebhookPauses1700000004012 implements MigrationInterface {
  name = 'WebhookPauses1700000004012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks.endpoints ADD COLUMN failures integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks.endpoints DROP COLUMN failures');
  }
}
