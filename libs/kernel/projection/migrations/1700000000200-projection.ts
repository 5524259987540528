import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The checkpoints of the read models, and the schema of their tables. Projections create these tables. */
export class Projection1700000000200 implements MigrationInterface {
  name = 'Projection1700000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA read;
      CREATE SCHEMA projection;
      CREATE TABLE projection.checkpoints (
        name       text PRIMARY KEY,
        version    integer NOT NULL,
        position   bigint,
        updated_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA projection CASCADE; DROP SCHEMA read CASCADE;');
  }
}
