import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each answer was an answer to, as a keyed digest. Null in rows from before: they are given again to any body. */
export class AnswerDigests1700000004050 implements MigrationInterface {
  name = 'AnswerDigests1700000004050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency.answers ADD COLUMN digest bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency.answers DROP COLUMN digest');
  }
}
