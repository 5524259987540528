import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index for the list of an event's deliveries. It is created concurrently, so deliveries can be stored meanwhile. */
export class DeliveriesByEvent1700000005000 implements MigrationInterface {
  name = 'DeliveriesByEvent1700000005000';
  /** Postgres cannot create an index concurrently within a transaction. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted creation leaves an unusable index.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS webhooks.deliveries_by_event');
    await runner.query(
      'CREATE INDEX CONCURRENTLY deliveries_by_event ON webhooks.deliveries (webhook_id, event, created_at, number)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhooks.deliveries_by_event');
  }
}
