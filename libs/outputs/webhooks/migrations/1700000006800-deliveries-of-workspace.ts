import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the deliveries of a workspace in the order of storage, for the export and the erasure of a customer's data. */
export class DeliveriesOfWorkspace1700000006800 implements MigrationInterface {
  name = 'DeliveriesOfWorkspace1700000006800';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX CONCURRENTLY deliveries_of_workspace ON webhooks.deliveries (workspace_id, number)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY webhooks.deliveries_of_workspace');
  }
}
