import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries that have come to an end by their age, for those that are kept no longer. */
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
