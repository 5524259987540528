import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index on the age of ended deliveries, for deleting old ones. */
export class WebhooksRetention1700000003412 implements MigrationInterface {
  name = 'WebhooksRetention1700000003412';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX deliveries_by_age ON webhooks.deliveries (created_at) WHERE status <> 'pending'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhooks.deliveries_by_age');
  }
}
