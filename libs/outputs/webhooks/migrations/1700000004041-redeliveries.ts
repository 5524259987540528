import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The rounds of a delivery. If an ended delivery is requested again, its schedule starts again in a new round. A task attempts a delivery
 * only in the round for which it was created. It also creates the indexes for the lists of deliveries by time and by status.
 */
export class Redeliveries1700000004041 implements MigrationInterface {
  name = 'Redeliveries1700000004041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks.deliveries
        ADD COLUMN round integer NOT NULL DEFAULT 0,
        ADD COLUMN attempts_before integer NOT NULL DEFAULT 0,
        ADD COLUMN begun_at timestamptz;
      DROP INDEX webhooks.deliveries_of_webhook;
      CREATE INDEX deliveries_of_webhook ON webhooks.deliveries (webhook_id, created_at, number);
      CREATE INDEX deliveries_by_status ON webhooks.deliveries (webhook_id, status, created_at, number);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX webhooks.deliveries_by_status, webhooks.deliveries_of_webhook;
      CREATE INDEX deliveries_of_webhook ON webhooks.deliveries (webhook_id, number);
      ALTER TABLE webhooks.deliveries DROP COLUMN round, DROP COLUMN attempts_before, DROP COLUMN begun_at;
    `);
  }
}
