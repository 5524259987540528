import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The answers to requests with an idempotency key. */
export class Idempotency1700000000500 implements MigrationInterface {
  name = 'Idempotency1700000000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA idempotency;
      CREATE TABLE idempotency.answers (
        workspace_id text NOT NULL,
        scope      text NOT NULL,
        key        text NOT NULL,
        status     integer NOT NULL,
        body       text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, scope, key)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA idempotency CASCADE');
  }
}
