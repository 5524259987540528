import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The number of consecutive failed attempts at an endpoint, so that a failing endpoint receives fewer requests. */
export class WebhookPauses1700000004012 implements MigrationInterface {
  name = 'WebhookPauses1700000004012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks.endpoints ADD COLUMN failures integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks.endpoints DROP COLUMN failures');
  }
}
