import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The API makes the next month's partition when it needs one, and may make no tables: the owner of the log makes it for it. */
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
