import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keyed digest of the request of each answer. It is null in earlier rows, whose answers are returned to a request with any body. */
export class AnswerDigests1700000004050 implements MigrationInterface {
  name = 'AnswerDigests1700000004050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency.answers ADD COLUMN digest bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency.answers DROP COLUMN digest');
  }
}
