import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index on the age of answers, for deleting old ones. */
export class IdempotencyRetention1700000003405 implements MigrationInterface {
  name = 'IdempotencyRetention1700000003405';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX answers_by_age ON idempotency.answers (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX idempotency.answers_by_age');
  }
}
