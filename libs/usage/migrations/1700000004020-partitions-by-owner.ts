import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the function run as the owner of the log. The API creates the next month's partition when it needs one, but does not have the right
 * to create tables.
 */
export class PartitionsByOwner1700000004020 implements MigrationInterface {
  name = 'PartitionsByOwner1700000004020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER FUNCTION usage.ensure_partitions(int) SECURITY DEFINER SET search_path = pg_catalog, pg_temp',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER FUNCTION usage.ensure_partitions(int) SECURITY INVOKER RESET search_path');
  }
}
